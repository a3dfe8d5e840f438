#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kData = "tests/data/modality/image";

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("image", settings);
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return open(parsed);
}

std::string bytes_of(const std::string& file) { return *read_file(kData / file); }

std::vector<float> values_of(const Encoded& encoded) {
  const auto values = encoded.tensors.front().tensor.values<float>();
  return {values.begin(), values.end()};
}

std::vector<float> encode(const std::string& settings, const std::string& file) {
  return values_of(*(*open(settings))->encode(bytes_of(file)));
}

Error refusal(const std::string& settings, Bytes raw) {
  return (*open(settings))->encode(raw).error();
}

/// One line of cases.yaml.
class GoldenPicture : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }
};

std::vector<Yaml> golden_cases() { return Yaml::read(kData / "cases.yaml")->items(); }

std::string number_of(const testing::TestParamInfo<Yaml>& each) {
  return "case" + std::to_string(each.index);
}

// Pillow's own bits for PNG. A JPEG may differ by 1, as decoders of another version do; so may a
// resize without antialias, whose oracle computes with other rounding.
TEST_P(GoldenPicture, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const std::string file = at("file").text();
  const Encoded encoded = *preprocessor->encode(bytes_of(file));
  const Tensor& tensor = encoded.tensors.front().tensor;

  std::vector<std::size_t> shape;
  for (const double extent : *at("shape").numbers()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  EXPECT_EQ(tensor.shape(), shape);
  ASSERT_TRUE(check_fits(preprocessor->outputs().front(), tensor.view()).has_value());
  const std::string expected = bytes_of("expected.bin");
  const auto begin = static_cast<std::size_t>(*at("at").integer());
  double worst = 0;
  for (std::size_t i = 0; i < tensor.values<float>().size(); ++i) {
    const auto byte = static_cast<unsigned char>(expected.at(begin + i));
    worst = std::max(worst, std::abs(static_cast<double>(tensor.values<float>()[i] - byte)));
  }
  RecordProperty("largest_difference", std::to_string(worst / 255));
  const bool exact = file.ends_with(".png") && at("settings").find("antialias") == nullptr;
  EXPECT_LE(worst, exact ? 0 : 1);
}

class GoldenQuality : public GoldenPicture {};

std::vector<Yaml> quality_cases() {
  std::vector<Yaml> cases = golden_cases();
  std::erase_if(cases, [](const Yaml& each) { return each.find("quality") == nullptr; });
  return cases;
}

TEST_P(GoldenQuality, HasTheOraclesNumbers) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const std::string file = at("file").text();
  const Encoded encoded = *preprocessor->encode(bytes_of(file));
  const double near = file.ends_with(".png") ? 1e-5 : 0.05;  // decoders may differ
  for (const auto& [name, value] : encoded.quality) {
    const double expected = *at("quality").find(name)->number();
    EXPECT_NEAR(value, expected, near * std::max(1.0, expected)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Image, GoldenPicture, testing::ValuesIn(golden_cases()), number_of);
INSTANTIATE_TEST_SUITE_P(Image, GoldenQuality, testing::ValuesIn(quality_cases()), number_of);

// pixel.png is (10, 200, 30).
TEST(Image, ScalesThenNormalisesEachChannel) {
  EXPECT_THAT(encode("size: 1", "pixel.png"), ElementsAre(10 / 255.F, 200 / 255.F, 30 / 255.F));
  EXPECT_THAT(encode("{size: 1, scale: 1, mean: 127, std: 128}", "pixel.png"),
              ElementsAre(-117 / 128.F, 73 / 128.F, -97 / 128.F));
  EXPECT_THAT(encode("{size: 1, scale: 1, mean: [10, 100, 0], std: [1, 2, 3]}", "pixel.png"),
              ElementsAre(0, 50, 10));
  EXPECT_THAT(encode("{size: 1, scale: 1, channels: bgr, mean: [1, 2, 3]}", "pixel.png"),
              ElementsAre(29, 198, 7));
}

TEST(Image, SaysWhatItGives) {
  const auto output = [](const char* settings) {
    return to_string((*open(settings))->outputs().front());
  };
  EXPECT_EQ(output("size: 224"), "image FP32 [1, 3, 224, 224]");
  EXPECT_EQ(output("{size: [2, 3], layout: nhwc, channels: grey}"), "image FP32 [1, 2, 3, 1]");
  EXPECT_EQ(output("{fit: shorter_side, resize_to: 9}"), "image FP32 [1, 3, -1, -1]");
}

// server#1454: a BYTES element of length 0 reached the decoder.
TEST(Image, RefusesNoBytesAndForeignBytes) {
  EXPECT_EQ(refusal("size: 8", "").code, Code::kInvalidArgument);
  EXPECT_THAT(refusal("size: 8", "").describe(), HasSubstr("empty"));
  EXPECT_EQ(refusal("size: 8", "{\"not\": \"a picture\"}").code, Code::kInvalidArgument);
  EXPECT_EQ(refusal("size: 8", "\xFF\xD8\xFF").code, Code::kInvalidArgument);
  EXPECT_EQ(refusal("size: 8", "\x89PNG\r\n\x1a\n").code, Code::kInvalidArgument);
}

TEST(Image, NamesTheFormatThatItCannotRead) {
  const std::map<std::string, std::string> names = {{"one.gif", "GIF"},
                                                    {"one.webp", "WebP"},
                                                    {"one.bmp", "BMP"},
                                                    {"one.tif", "TIFF"},
                                                    {"one.avif", "AVIF"}};
  for (const auto& [file, name] : names) {
    const Error error = refusal("size: 8", bytes_of(file));
    EXPECT_EQ(error.code, Code::kUnsupported) << file;
    EXPECT_THAT(error.describe(), HasSubstr("a " + name + " picture"));
  }
}

// opencv#27744: an animated PNG whose first frame cannot be decoded.
TEST(Image, RefusesAnAnimationWhoseFirstFrameIsBroken) {
  EXPECT_EQ(refusal("size: 8", bytes_of("animated_broken.png")).code, Code::kInvalidArgument);
}

TEST(Image, RefusesMorePixelsThanAllowedBeforeDecoding) {
  for (const char* file : {"huge_header.png", "bomb.png"}) {
    const Error error = refusal("size: 8", bytes_of(file));
    EXPECT_EQ(error.code, Code::kExhausted) << file;
    EXPECT_THAT(error.describe(), HasSubstr("× 20000 pixels; pixels_max is 67108864"));
  }
  EXPECT_EQ(refusal("{size: 8, pixels_max: 1664}", bytes_of("rgb.jpg")).code, Code::kExhausted);
  EXPECT_TRUE((*open("{size: 8, pixels_max: 1665}"))->encode(bytes_of("rgb.jpg")).has_value());
  EXPECT_EQ(refusal("{size: 8, bytes_max: 100}", bytes_of("rgb.jpg")).code, Code::kExhausted);
}

// 1 × 37 pixels in a square are 37 × 37; with a shorter side of 16 they are 592 × 16.
TEST(Image, CountsThePixelsThatPaddingAndResizingAdd) {
  const std::string narrow = bytes_of("narrow.png");
  EXPECT_EQ(refusal("{size: 8, pad: square, pixels_max: 1368}", narrow).code, Code::kExhausted);
  EXPECT_EQ(refusal("{fit: shorter_side, resize_to: 16, pixels_max: 9471}", narrow).code,
            Code::kExhausted);
}

// Behind the last row of bomb_behind.png lie 40 MB of zeros, deflated to 39 KB.
TEST(Image, DoesNotInflateWhatThePictureDoesNotNeed) {
  EXPECT_THAT(refusal("size: 8", bytes_of("bomb_behind.png")).describe(),
              HasSubstr("more data than the picture needs"));
}

// opencv#26488: a truncated JPEG showed parts of the picture decoded before it.
TEST(Image, RefusesAPictureThatIsCutAnywhere) {
  const auto preprocessor = *open("size: 8");
  for (const char* file : {"rgb.jpg", "progressive.jpg", "restarts.jpg", "cmyk.jpg", "exif1.jpg",
                           "rgb.png", "palette_alpha.png", "rgba_interlaced.png"}) {
    const std::string whole = bytes_of(file);
    ASSERT_TRUE(preprocessor->encode(whole).has_value());
    for (std::size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 37) {
      const auto cut = preprocessor->encode(whole.substr(0, size));
      ASSERT_FALSE(cut.has_value()) << file << " at " << size;
      ASSERT_EQ(cut.error().code, Code::kInvalidArgument) << file << " at " << size;
    }
  }
}

TEST(Image, RefusesAJpegWithDataMissingInTheMiddle) {
  std::string damaged = bytes_of("restarts.jpg");
  const std::size_t marker = damaged.find("\xFF\xD2");
  ASSERT_NE(marker, std::string::npos);
  damaged.erase(marker - 20, 20);
  EXPECT_EQ(refusal("size: 8", damaged).code, Code::kInvalidArgument);
}

TEST(Image, ExplainsAWrongSetUp) {
  const auto complaint = [](const char* settings) { return open(settings).error().describe(); };
  EXPECT_THAT(complaint("{}"), HasSubstr("size: the pixels that the model takes"));
  EXPECT_THAT(complaint("size: [1, 2, 3]"), HasSubstr("size: "));
  EXPECT_THAT(complaint("size: 0"), HasSubstr("size: "));
  EXPECT_THAT(complaint("{size: 8, fit: shorter_side, resize_to: 8}"), HasSubstr("fit: crop"));
  EXPECT_THAT(complaint("{fit: shorter_side}"), HasSubstr("resize_to: "));
  EXPECT_THAT(complaint("{size: 8, resize_to: 9}"), HasSubstr("did you mean 'fit: crop'?"));
  EXPECT_THAT(complaint("{size: [8, 9], fit: crop, resize_to: 8}"), HasSubstr("too short"));
  EXPECT_THAT(complaint("{size: 8, background: grey}"), HasSubstr("background: "));
  EXPECT_THAT(complaint("{size: 8, background: [1, 2, 300]}"), HasSubstr("background: "));
  EXPECT_THAT(complaint("{size: 8, mean: [1, 2]}"), HasSubstr("2 numbers for 3 channels"));
  EXPECT_THAT(complaint("{size: 8, std: 0}"), HasSubstr("above 0"));
  EXPECT_THAT(complaint("{size: 8, antialais: false}"), HasSubstr("did you mean 'antialias'?"));
}

}  // namespace
}  // namespace braid
