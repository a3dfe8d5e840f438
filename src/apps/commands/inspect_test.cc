#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command.h"
#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"
#include "modality/image/decode.h"

namespace braid {
void register_inspect(Registry<Command>& registry);

namespace {

using testing::HasSubstr;

struct Ran {
  Exit exit = Exit::kDone;
  std::string out;
  std::string error;
};

Ran inspect(const std::vector<std::string>& arguments) {
  Registry<Command> registry("verb");
  register_inspect(registry);
  const auto command = *registry.make("inspect", {});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.exit = command->run(arguments);
  std::fflush(stdout);
  ran.out = testing::internal::GetCapturedStdout();
  ran.error = testing::internal::GetCapturedStderr();
  return ran;
}

const std::string kVolume = "tests/data/modality/volume/ct.nii.gz";
const std::string kImage = "tests/data/modality/image/rgb.png";

// The numbers are nibabel's, from tests/data/modality/volume/cases.yaml.
TEST(Inspect, ShowsAVolumesTensorQualityAndSlices) {
  const Ran ran = inspect({kVolume, "--as", "volume"});
  EXPECT_EQ(ran.exit, Exit::kDone) << ran.error;
  EXPECT_THAT(ran.out, HasSubstr("tensor   volume FP32 [1, 1, 11, 13, 9], 5148 bytes"));
  EXPECT_THAT(ran.out, HasSubstr("min -900  mean 351.064  max 1200  std 304.529  NaN 0 %"));
  EXPECT_THAT(ran.out, HasSubstr("spacing_width        2.5"));
  EXPECT_THAT(ran.out, HasSubstr("middle slices"));
  EXPECT_THAT(ran.out, HasSubstr("█"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("\x1b")));  // no terminal, no colours
}

TEST(Inspect, TakesSettingsAsInAPipeline) {
  const Ran ran = inspect(
      {kVolume, "--as", "volume", "--set", "size=[4, 5, 6]", "--set", "window=[-200, 300]"});
  EXPECT_THAT(ran.out, HasSubstr("[1, 1, 4, 5, 6]"));
  EXPECT_THAT(ran.out, HasSubstr("max 1 "));
  const Ran wrong = inspect({kVolume, "--as", "volume", "--set", "szie=4"});
  EXPECT_EQ(wrong.exit, Exit::kWrongInput);
  EXPECT_THAT(wrong.error, HasSubstr("did you mean 'size'?"));
  EXPECT_THAT(inspect({kVolume, "--as", "volume", "--set", "size"}).error,
              HasSubstr("KEY=VALUE is wanted"));
}

TEST(Inspect, NamesTheNearestModality) {
  const Ran ran = inspect({kVolume, "--as", "volum"});
  EXPECT_EQ(ran.exit, Exit::kWrongInput);
  EXPECT_THAT(ran.error, HasSubstr("did you mean 'volume'?"));
  EXPECT_THAT(inspect({kVolume, "--as", "xyz"}).error, HasSubstr("this build reads: "));
}

TEST(Inspect, SaysWhatIsWrongWithTheFile) {
  const Ran foreign = inspect({kImage, "--as", "volume"});
  EXPECT_EQ(foreign.exit, Exit::kWrongInput);
  EXPECT_THAT(foreign.error, HasSubstr("a PNG picture"));
  EXPECT_EQ(inspect({"none.nii", "--as", "volume"}).exit, Exit::kWrongInput);
  EXPECT_EQ(inspect({kImage}).exit, Exit::kUsage);
}

class InspectFiles : public testing::Test {
 protected:
  const TestFolder folder_;
};

TEST_F(InspectFiles, WritesAPngThatShowsTheImage) {
  const std::string png = (folder_ / "seen.png").string();
  const Ran ran = inspect({kImage, "--as", "image", "--set", "size=[20, 24]", "--png", png});
  ASSERT_EQ(ran.exit, Exit::kDone) << ran.error;
  const Decoded decoded = *decode_picture(*read_file(png), {});
  EXPECT_EQ(decoded.picture.extent(), (Extent{24, 20}));
}

TEST_F(InspectFiles, WritesStatisticsAsJson) {
  const std::string file = (folder_ / "seen.json").string();
  ASSERT_EQ(inspect({kVolume, "--as", "volume", "--json", file}).exit, Exit::kDone);
  const Json json = *Json::parse(*read_file(file));
  const Json& tensor = json.find("tensors")->list()->front();
  EXPECT_EQ(*tensor.find("datatype")->text(), "FP32");
  EXPECT_EQ(tensor.find("shape")->dump(), "[1,1,11,13,9]");
  EXPECT_EQ(tensor.find("max")->number(), 1200);
  EXPECT_EQ(json.find("quality")->find("depth")->number(), 11);
}

TEST_F(InspectFiles, RefusesAPngOfWhatIsNoPicture) {
  const Ran ran = inspect({"tests/data/modality/table/record.json", "--as", "table", "--set",
                           "schema=tests/data/modality/table/schema.json", "--png",
                           (folder_ / "none.png").string()});
  EXPECT_EQ(ran.exit, Exit::kWrongInput);
  EXPECT_THAT(ran.out, HasSubstr("tensor   features FP32"));
  EXPECT_THAT(ran.error, HasSubstr("none of the tensors"));
}

}  // namespace
}  // namespace braid
