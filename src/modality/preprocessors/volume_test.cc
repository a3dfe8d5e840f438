#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;

const std::filesystem::path kData = "tests/data/modality/volume";

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

std::vector<float> values_of(const Encoded& encoded) {
  const auto values = encoded.tensors.front().tensor.values<float>();
  return {values.begin(), values.end()};
}

Error refusal(Bytes raw, const std::string& settings = "{}") {
  return (*open(settings))->encode(raw).error();
}

/// `ct_ras.nii` with one field of its header changed.
template <typename T>
std::string edited(std::size_t place, T value) {
  std::string file = bytes_of("ct_ras.nii");
  std::memcpy(file.data() + place, &value, sizeof value);
  return file;
}

/// One line of cases.yaml.
class GoldenVolume : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }
};

std::vector<Yaml> golden_cases() { return Yaml::read(kData / "cases.yaml")->items(); }

std::vector<float> expected_values(std::size_t begin, std::size_t count) {
  static const std::string bytes = bytes_of("expected.bin");
  std::vector<float> values(count);
  EXPECT_LE(begin + count * sizeof(float), bytes.size());
  std::memcpy(values.data(), bytes.data() + begin, count * sizeof(float));
  return values;
}

// Within 1e-4 of the largest value that the oracle has: single precision between the voxels.
TEST_P(GoldenVolume, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const auto encoded = preprocessor->encode(bytes_of(at("file").text()));
  ASSERT_TRUE(encoded.has_value()) << encoded.error().describe();
  const Tensor& tensor = encoded->tensors.front().tensor;

  std::vector<std::size_t> shape;
  for (const double extent : *at("shape").numbers()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  ASSERT_EQ(tensor.shape(), shape);
  ASSERT_TRUE(check_fits(preprocessor->outputs().front(), tensor.view()).has_value());
  const std::vector<float> values = values_of(*encoded);
  const std::vector<float> expected =
      expected_values(static_cast<std::size_t>(*at("at").integer()), values.size());
  double scale = 1e-3;
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    scale = std::max(scale, std::abs(static_cast<double>(expected[i])));
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]));
  }
  RecordProperty("largest_difference", fmt::format("{:.3g}", worst / scale));
  EXPECT_LE(worst / scale, 1e-5);
}

TEST_P(GoldenVolume, HasTheOraclesQuality) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const Encoded encoded = *preprocessor->encode(bytes_of(at("file").text()));
  std::map<std::string, double> quality(encoded.quality.begin(), encoded.quality.end());
  const double scale = std::max({1.0, std::abs(quality["min"]), std::abs(quality["max"])});
  for (const auto& [name, value] : at("quality").entries()) {
    ASSERT_TRUE(quality.contains(name)) << name;
    EXPECT_NEAR(quality[name], *value.number(), 1e-5 * scale) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Volume, GoldenVolume, testing::ValuesIn(golden_cases()),
                         [](const auto& each) { return "case" + std::to_string(each.index); });

TEST(Volume, SaysWhatItGives) {
  const auto output = [](const char* settings) {
    return to_string((*open(settings))->outputs().front());
  };
  EXPECT_EQ(output("size: [32, 64, 48]"), "volume FP32 [1, 1, 32, 64, 48]");
  EXPECT_EQ(output("{size: 64, channels: 4}"), "volume FP32 [1, 4, 64, 64, 64]");
  EXPECT_EQ(output("spacing: 1"), "volume FP32 [1, 1, -1, -1, -1]");
}

// MONAI#3356, MONAI#387: the orientation depended on the reader. One volume, written four ways.
TEST(Volume, IsTheSameHoweverTheFileIsTurned) {
  const std::string ras = "ct_ras.nii";
  const auto values = [](const std::string& file, const std::string& settings) {
    return values_of(*(*open(settings))->encode(bytes_of(file)));
  };
  const std::vector<float> as_stored = values(ras, "orientation: file");
  EXPECT_EQ(values(ras, "{}"), as_stored);
  const std::vector<float> turned = values("ct.nii.gz", "{}");  // LPS: x and y run backwards
  ASSERT_EQ(turned.size(), as_stored.size());
  for (std::size_t x = 0; x < 11; ++x) {
    for (std::size_t y = 0; y < 13; ++y) {
      for (std::size_t z = 0; z < 9; ++z) {
        ASSERT_EQ(turned[((10 - x) * 13 + 12 - y) * 9 + z], as_stored[(x * 13 + y) * 9 + z]);
      }
    }
  }
}

// nibabel#99, LAYNII#26, LAYNII#88: a slope of 0 or NaN made a whole volume 0 or NaN.
TEST(Volume, TakesASlopeOfZeroOrNanForNoScaling) {
  const auto with_scaling = [](float slope, float intercept) {
    std::string file = edited(112, slope);
    std::memcpy(file.data() + 116, &intercept, sizeof intercept);
    return file;
  };
  const std::vector<float> plain = values_of(*(*open("{}"))->encode(with_scaling(1, 0)));
  for (const float slope : {0.0F, NAN, INFINITY}) {
    EXPECT_EQ(values_of(*(*open("{}"))->encode(with_scaling(slope, NAN))), plain);
    EXPECT_EQ(values_of(*(*open("{}"))->encode(with_scaling(slope, 7))), plain);
  }
  EXPECT_THAT(refusal(with_scaling(2, NAN)).describe(), HasSubstr("write a finite scl_inter"));
}

TEST(Volume, RefusesNoBytesAndForeignBytes) {
  EXPECT_THAT(refusal("").describe(), HasSubstr("empty"));
  for (const Bytes raw : {Bytes("x"), Bytes("{\"not\": \"a volume\"}"), Bytes("\x1f\x8b", 2),
                          Bytes("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), Bytes("\x93NUMPY")}) {
    EXPECT_EQ(refusal(raw).code, Code::kInvalidArgument);
  }
}

TEST(Volume, NamesTheFormatThatItCannotRead) {
  const std::map<std::string, Bytes> starts = {{"NRRD", "NRRD0005\ntype: short"},
                                               {"MetaImage", "ObjectType = Image\nNDims = 3"},
                                               {"HDF5", "\x89HDF\r\n\x1a\n"},
                                               {"PNG", "\x89PNG\r\n\x1a\n"},
                                               {"MGH", Bytes("\0\0\0\1\0\0\1\0", 8)}};
  for (const auto& [name, start] : starts) {
    const Error error = refusal(start);
    EXPECT_EQ(error.code, Code::kUnsupported) << name;
    EXPECT_THAT(error.describe(), HasSubstr(name));
  }
  std::string pair = bytes_of("ct_ras.nii");
  pair.replace(344, 4, "ni1\0", 4);
  EXPECT_THAT(refusal(pair).describe(), HasSubstr(".hdr and .img"));
  std::string analyze = bytes_of("ct_ras.nii");
  analyze.replace(344, 4, "\0\0\0\0", 4);
  EXPECT_THAT(refusal(analyze).describe(), HasSubstr("ANALYZE"));
  EXPECT_THAT(refusal(edited<std::int16_t>(70, 32)).describe(), HasSubstr("complex64"));
  EXPECT_THAT(refusal(edited<std::int16_t>(70, 128)).describe(), HasSubstr("RGB"));
  EXPECT_EQ(refusal(edited<std::int16_t>(70, 2304)).code, Code::kUnsupported);
  EXPECT_EQ(refusal(edited<std::int16_t>(70, 77)).code, Code::kInvalidArgument);
}

TEST(Volume, RefusesLyingDimensions) {
  EXPECT_THAT(refusal(edited<std::int16_t>(42, -5)).describe(), HasSubstr("dim[1] is -5"));
  EXPECT_THAT(refusal(edited<std::int16_t>(44, 0)).describe(), HasSubstr("dim[2] is 0"));
  EXPECT_THAT(refusal(edited<std::int16_t>(40, 9)).describe(), HasSubstr("dim[0] is 9"));
  EXPECT_THAT(refusal(edited<std::int16_t>(40, 0)).describe(), HasSubstr("dim[0] is 0"));
  EXPECT_EQ(refusal(edited<std::int16_t>(42, 12)).code, Code::kInvalidArgument);
  for (const float offset : {-1.0F, 8.0F, 351.0F, 354.0F, 1e9F, 1e30F, NAN, INFINITY}) {
    EXPECT_EQ(refusal(edited(108, offset)).code, Code::kInvalidArgument) << offset;
  }
}

TEST(Volume, RefusesMoreVoxelsThanAllowedBeforeAllocating) {
  std::string huge = edited<std::int16_t>(42, 2048);
  const std::int16_t extents[] = {2048, 512};
  std::memcpy(huge.data() + 44, extents, sizeof extents);
  EXPECT_EQ(refusal(huge).code, Code::kExhausted);
  EXPECT_THAT(refusal(huge).describe(), HasSubstr("2048 × 2048 × 512"));
  for (const std::size_t i : {1, 2, 3, 4, 5, 6, 7}) {
    const std::int16_t most = 32767;
    std::memcpy(huge.data() + 40 + i * 2, &most, sizeof most);
  }
  const std::int16_t rank = 7;
  std::memcpy(huge.data() + 40, &rank, sizeof rank);
  EXPECT_EQ(refusal(huge).code, Code::kExhausted);
  EXPECT_EQ(refusal(bytes_of("ct_ras.nii"), "voxels_max: 1286").code, Code::kExhausted);
  EXPECT_TRUE((*open("voxels_max: 1287"))->encode(bytes_of("ct_ras.nii")).has_value());
  EXPECT_EQ(refusal(bytes_of("ct_ras.nii"), "bytes_max: 100").code, Code::kExhausted);
}

// bomb_behind: its 1287 voxels are followed by 40 MB of zeros. promises: a header of 256 million
// voxels and nothing behind it; less: the same of a size that is always unpacked. short: the same
// within what deflate could hold.
TEST(Volume, DoesNotInflateABomb) {
  EXPECT_THAT(refusal(bytes_of("hostile/bomb_behind.nii.gz")).describe(), HasSubstr("holds more"));
  EXPECT_THAT(refusal(bytes_of("hostile/promises.nii.gz")).describe(),
              HasSubstr("gain_max is 200"));
  EXPECT_THAT(refusal(bytes_of("hostile/less.nii.gz")).describe(), HasSubstr("cannot hold"));
  EXPECT_THAT(refusal(bytes_of("hostile/short.nii.gz")).describe(), HasSubstr("holds 352 bytes"));
}

// An empty member is 20 bytes: a million of them would cost a second and hold nothing.
TEST(Volume, RefusesAGzipOfVeryManyMembers) {
  const std::string start = bytes_of("hostile/short.nii.gz");
  const std::string empty("\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0", 20);
  std::string file = start;
  for (int i = 0; i < 70000; ++i) {
    file += empty;
  }
  EXPECT_THAT(refusal(file).describe(), HasSubstr("more than 65536 members"));
}

TEST(Volume, RefusesAnAffineThatIsNone) {
  const auto with_srow = [](std::size_t row, std::size_t column, float value) {
    return edited(280 + row * 16 + column * 4, value);
  };
  for (const float value : {NAN, INFINITY}) {
    EXPECT_EQ(refusal(with_srow(1, 1, value)).code, Code::kInvalidArgument);
  }
  EXPECT_THAT(refusal(with_srow(0, 0, 0)).describe(), HasSubstr("a length of 0 mm"));
  std::string flat = with_srow(1, 1, 0);
  const float same = 0.9F;
  std::memcpy(flat.data() + 280 + 4, &same, sizeof same);
  EXPECT_THAT(refusal(flat).describe(), HasSubstr("in one plane"));
  std::string quaternion = edited<std::int16_t>(254, 0);  // no sform
  const float long_part = 1.5F;
  std::memcpy(quaternion.data() + 256, &long_part, sizeof long_part);
  EXPECT_THAT(refusal(quaternion).describe(), HasSubstr("longer than 1"));
  const std::string far = with_srow(0, 0, 1e30F);
  EXPECT_EQ(refusal(far, "spacing: 1").code, Code::kExhausted);
}

TEST(Volume, RefusesAFileThatIsCutAnywhere) {
  const auto preprocessor = *open("size: 4");
  for (const char* file : {"ct.nii.gz", "ct_big.nii", "nifti2.nii.gz", "array.npy",
                           "two_members.nii.gz", "channels_fortran.npy.gz"}) {
    const std::string whole = bytes_of(file);
    for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 17) {
      const auto cut = preprocessor->encode(whole.substr(0, size));
      ASSERT_FALSE(cut.has_value()) << file << " at " << size;
      ASSERT_EQ(cut.error().code, Code::kInvalidArgument) << file << " at " << size;
    }
  }
}

TEST(Volume, WantsAsManyChannelsAsTheFileHas) {
  EXPECT_THAT(refusal(bytes_of("four.nii.gz")).describe(),
              HasSubstr("the file holds 3 volumes; 'channels' is 1"));
  EXPECT_EQ(refusal(bytes_of("ct.nii.gz"), "channels: 2").code, Code::kInvalidArgument);
}

TEST(Volume, RefusesASpacingOfAnArrayThatHasNone) {
  EXPECT_THAT(refusal(bytes_of("array.npy"), "spacing: 1").describe(), HasSubstr("send NIfTI"));
}

TEST(Volume, RefusesArraysOfOtherTypes) {
  std::string array = bytes_of("array.npy");
  array.replace(array.find("<f4"), 3, "<c8");
  EXPECT_EQ(refusal(array).code, Code::kUnsupported);
  array.replace(array.find("<c8"), 3, "|O8");
  EXPECT_EQ(refusal(array).code, Code::kUnsupported);
}

TEST(Volume, PutsPaddingWhereNothingIs) {
  const std::vector<float> values =
      values_of(*(*open("{size: [1, 1, 9], fit: crop, pad: -7}"))->encode(bytes_of("one.nii")));
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 7, 8}) {
    EXPECT_EQ(values[i], -7);
  }
  EXPECT_NE(values[4], -7);
}

TEST(Volume, ExplainsAWrongSetUp) {
  const auto complaint = [](const char* settings) { return open(settings).error().describe(); };
  EXPECT_THAT(complaint("size: [1, 2]"), HasSubstr("size: "));
  EXPECT_THAT(complaint("size: 0"), HasSubstr("size: "));
  EXPECT_THAT(complaint("size: 1.5"), HasSubstr("whole numbers"));
  EXPECT_THAT(complaint("{size: 4096}"), HasSubstr("voxels_max"));
  EXPECT_THAT(complaint("{size: 8, spacing: 1, fit: stretch}"), HasSubstr("fit: crop"));
  EXPECT_THAT(complaint("{spacing: 1, fit: crop}"), HasSubstr("needs a 'size'"));
  EXPECT_THAT(complaint("{size: 8, grid: origin}"), HasSubstr("needs a 'spacing'"));
  EXPECT_THAT(complaint("{orientation: RAR}"), HasSubstr("RAS"));
  EXPECT_THAT(complaint("{window: [400, -1000]}"), HasSubstr("low below high"));
  EXPECT_THAT(complaint("{window_to: [0, 1]}"), HasSubstr("needs a 'window'"));
  EXPECT_THAT(complaint("{std: 0}"), HasSubstr("std: "));
  EXPECT_THAT(complaint("{sapcing: 1}"), HasSubstr("did you mean 'spacing'?"));
}

}  // namespace
}  // namespace braid
