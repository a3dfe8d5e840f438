// DICOM through the whole preprocessor: the values of pydicom, nibabel and scipy, and refusals that
// name what is wrong and nothing of the patient. Files, cases and refusals are made by
// tools/oracles/dicom_goldens.py.
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kData = "tests/data/modality/volume/dicom";

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("volume", settings);
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return open(parsed);
}

std::string bytes_of(const std::string& file) { return *read_file(kData / file); }

std::vector<Yaml> items_of(const char* file) { return Yaml::read(kData / file)->items(); }

std::string name_of(const testing::TestParamInfo<Yaml>& each) {
  std::string name = each.param.find("file")->text() + "_" + std::to_string(each.index);
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Every file carries a patient Geheim with the number GEHEIM-4711; pydicom's carry theirs.
void expect_nothing_of_the_patient(const Error& error) {
  for (const char* secret : {"eheim", "EHEIM", "4711", "Compressed", "Lestrade", "1CT1", "4MR1"}) {
    EXPECT_THAT(error.describe(), Not(HasSubstr(secret)));
  }
}

class GoldenDicom : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }
};

// Decoders of lossy JPEG may differ by one stored step (ITU-T T.81, annex A.3.3); others not.
TEST_P(GoldenDicom, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const auto encoded = preprocessor->encode(bytes_of(at("file").text()));
  ASSERT_TRUE(encoded.has_value()) << encoded.error().describe();
  const Tensor& tensor = encoded->tensors.front().tensor;
  std::vector<std::size_t> shape;
  for (const double extent : *at("shape").numbers()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  ASSERT_EQ(tensor.shape(), shape);
  const auto values = tensor.values<float>();
  std::vector<float> expected(values.size());
  const std::string all = bytes_of("expected.bin");
  const auto begin = static_cast<std::size_t>(*at("at").integer());
  ASSERT_LE(begin + values.size_bytes(), all.size());
  std::memcpy(expected.data(), all.data() + begin, values.size_bytes());
  double scale = 1e-3;
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    scale = std::max(scale, std::abs(static_cast<double>(expected[i])));
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]));
  }
  const bool is_lossy_jpeg = at("file").text() == "JPGExtended.dcm";
  RecordProperty("largest_difference", fmt::format("{:.3g}", worst / scale));
  RecordProperty("coding", is_lossy_jpeg ? "lossy" : "lossless");
  EXPECT_LE(worst, is_lossy_jpeg ? 1 : 1e-5 * scale);
}

TEST_P(GoldenDicom, HasTheOraclesQuality) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const auto encoded = preprocessor->encode(bytes_of(at("file").text()));
  ASSERT_TRUE(encoded.has_value()) << encoded.error().describe();
  std::map<std::string, double> quality(encoded->quality.begin(), encoded->quality.end());
  const double scale = std::max({1.0, std::abs(quality["min"]), std::abs(quality["max"])});
  const double tolerance = at("file").text() == "JPGExtended.dcm" ? 1 / scale : 1e-5;
  for (const auto& [name, value] : at("quality").entries()) {
    ASSERT_TRUE(quality.contains(name)) << name;
    EXPECT_NEAR(quality[name], *value.number(), tolerance * scale) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Dicom, GoldenDicom, testing::ValuesIn(items_of("cases.yaml")), name_of);

class RefusedDicom : public testing::TestWithParam<Yaml> {};

TEST_P(RefusedDicom, NamesWhatIsWrongAndNothingOfThePatient) {
  static const std::map<std::string, Code> codes = {{"kInvalidArgument", Code::kInvalidArgument},
                                                    {"kUnsupported", Code::kUnsupported},
                                                    {"kExhausted", Code::kExhausted}};
  const std::string raw = bytes_of("refused/" + GetParam().find("file")->text());
  rusage before = {};
  getrusage(RUSAGE_SELF, &before);
  const auto encoded = (*open("gain_max: 2000"))->encode(raw);
  rusage after = {};
  getrusage(RUSAGE_SELF, &after);
  ASSERT_FALSE(encoded.has_value());
  const Error& error = encoded.error();
  EXPECT_EQ(error.code, codes.at(GetParam().find("code")->text())) << error.describe();
  EXPECT_THAT(error.describe(), HasSubstr(GetParam().find("says")->text()));
  expect_nothing_of_the_patient(error);
  EXPECT_LE(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "KiB of memory for a refusal";
}

INSTANTIATE_TEST_SUITE_P(Dicom, RefusedDicom, testing::ValuesIn(items_of("refused.yaml")), name_of);

TEST(Dicom, RefusesAFileThatIsCutAnywhere) {
  const auto preprocessor = *open("size: 4");
  for (const char* file : {"CT_small.dcm", "enhanced_rle.dcm", "JPEGLSNearLossless_16.dcm",
                           "enhanced_implicit.dcm", "oblique.zip", "stored.zip"}) {
    const std::string whole = bytes_of(file);
    const auto end = preprocessor->encode(whole);
    ASSERT_TRUE(end.has_value()) << file << ": " << end.error().describe();
    // Behind the pixels of CT_small lies padding.
    const std::size_t last = std::string(file) == "CT_small.dcm" ? 38000 : whole.size();
    // Before the mark it may be anything: CT_small begins like a TIFF picture.
    for (std::size_t size = whole.starts_with("PK") ? 0 : 132; size < last;
         size += size < 600 ? 7 : 97) {
      const auto cut = preprocessor->encode(whole.substr(0, size));
      ASSERT_FALSE(cut.has_value()) << file << " at " << size;
      ASSERT_THAT(cut.error().code, testing::AnyOf(Code::kInvalidArgument, Code::kUnsupported));
      expect_nothing_of_the_patient(cut.error());
    }
  }
}

// Elements are walked, not kept: a million of them cost milliseconds and no memory.
TEST(Dicom, RefusesAFileOfAMillionElements) {
  std::string file = bytes_of("CT_small.dcm");
  std::string elements;
  for (int i = 0; i < 1'000'000; ++i) {
    elements += std::string("\x29\0\x10\x10UL\0\0", 8);
  }
  const std::size_t pixels = file.find(std::string("\xe0\x7f\x10\0OW", 6));
  ASSERT_NE(pixels, std::string::npos);
  file.insert(pixels, elements);
  const auto encoded = (*open("{}"))->encode(file);
  EXPECT_EQ(encoded.error().code, Code::kExhausted);
  EXPECT_THAT(encoded.error().describe(), HasSubstr("more than 100000 elements"));
}

TEST(Dicom, ComparesTheSizeOfASeriesWithTheLimit) {
  EXPECT_EQ((*open("voxels_max: 839"))->encode(bytes_of("axial.zip")).error().code,
            Code::kExhausted);
  EXPECT_TRUE((*open("voxels_max: 840"))->encode(bytes_of("axial.zip")).has_value());
}

// Real files with some bytes changed, mostly in what describes them: no crash, no line of a library
// on standard error, no word of the patient.
TEST(Dicom, OutlivesMutatedFiles) {
  constexpr int kFiles = 200;
  const char* const kinds[] = {"CT_small.dcm",
                               "MR_small.dcm",
                               "MR_small_RLE.dcm",
                               "JPEG2000.dcm",
                               "MR_small_implicit.dcm",
                               "JPGExtended.dcm",
                               "693_J2KI.dcm",
                               "MR_small_bigendian.dcm",
                               "MR_small_jp2klossless.dcm",
                               "MR_small_jpeg_ls_lossless.dcm",
                               "enhanced.dcm",
                               "enhanced_jpeg2000.dcm",
                               "jpeg_lossless.zip"};
  const auto preprocessor = *open("{size: [4, 5, 6], voxels_max: 1000000}");
  std::mt19937 random(20261203);
  testing::internal::CaptureStderr();
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    std::string file = bytes_of(kinds[static_cast<std::size_t>(i) % std::size(kinds)]);
    for (auto change = random() % 12 + 1; change > 0; --change) {
      const std::size_t range = random() % 2 == 0 ? file.size() : std::min(file.size(), {2500});
      file[random() % range] = static_cast<char>(random());
    }
    const auto encoded = preprocessor->encode(file);
    if (!encoded.has_value()) {
      ++refused;
      expect_nothing_of_the_patient(encoded.error());
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(refused, kFiles / 10);
}

TEST(Dicom, OpensItsModuleWhenThePipelineIsLoadedIfAsked) {
  EXPECT_TRUE(open("dicom: at_load").has_value());
  EXPECT_THAT(open("dicom: never").error().describe(), HasSubstr("at_load"));
  EXPECT_THAT(open("monochrome1: yes").error().describe(), HasSubstr("as_stored"));
}

TEST(Dicom, RefusesASpacingOfAPictureWithoutAPlace) {
  EXPECT_THAT((*open("spacing: 1"))->encode(bytes_of("picture.dcm")).error().describe(),
              HasSubstr("does not say its own"));
}

}  // namespace
}  // namespace braid
