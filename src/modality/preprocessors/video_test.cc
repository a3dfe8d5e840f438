#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;

const std::filesystem::path kData = "tests/data/modality/video";

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("video", settings);
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return open(parsed);
}

std::string bytes_of(const std::string& file) { return *read_file(kData / file); }

Result<Encoded> encode(const std::string& settings, Bytes raw) {
  return (*open(settings))->encode(raw);
}

double quality(const Encoded& encoded, const std::string& name) {
  for (const auto& [key, value] : encoded.quality) {
    if (key == name) {
      return value;
    }
  }
  return std::nan("");
}

/// One line of cases.yaml.
class GoldenVideo : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }

  Shape shape() const {
    Shape shape;
    for (const double extent : *at("shape").numbers()) {
      shape.push_back(static_cast<std::size_t>(extent));
    }
    return shape;
  }
};

// PyAV's pixels, resized by Pillow: the same bytes. Its sound, resampled by soxr: within 1e-5.
TEST_P(GoldenVideo, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const auto encoded = preprocessor->encode(bytes_of(at("file").text()));
  ASSERT_TRUE(encoded.has_value()) << encoded.error().describe();
  const Tensor& frames = encoded->tensors.front().tensor;
  ASSERT_EQ(frames.shape(), shape());
  ASSERT_TRUE(check_fits(preprocessor->outputs().front(), frames.view()).has_value());
  const std::string wanted = bytes_of("frames.bin");
  const auto begin = static_cast<std::size_t>(*at("at").integer());
  double difference = 0;
  for (std::size_t i = 0; i < frames.values<float>().size(); ++i) {
    difference +=
        std::abs(frames.values<float>()[i] - static_cast<unsigned char>(wanted[begin + i]));
  }
  difference /= static_cast<double>(frames.values<float>().size());
  RecordProperty("mean_difference", fmt::format("{:.3g}", difference / 255));
  RecordProperty("coding", *at("mean_within").number() == 0 ? "8 bits" : "10 bits");
  EXPECT_LE(difference, *at("mean_within").number());
  EXPECT_EQ(quality(*encoded, "damaged"), 0);
  if (GetParam().find("sound_at") == nullptr) {
    return;
  }
  const std::span<const float> sound = encoded->tensors.at(1).tensor.values<float>();
  ASSERT_EQ(sound.size(), static_cast<std::size_t>(*at("samples").integer()));
  std::vector<float> samples(sound.size());
  const std::string bytes = bytes_of("sound.bin");
  std::memcpy(samples.data(), bytes.data() + *at("sound_at").integer() * 4, samples.size() * 4);
  double worst = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(samples[i]) - sound[i]));
  }
  RecordProperty("sound_difference", fmt::format("{:.3g}", worst));
  EXPECT_LE(worst, 1e-5);
}

std::vector<Yaml> golden_cases() { return Yaml::read(kData / "cases.yaml")->items(); }

INSTANTIATE_TEST_SUITE_P(Video, GoldenVideo, testing::ValuesIn(golden_cases()),
                         [](const auto& each) { return "case" + std::to_string(each.index); });

// Which matrix and which range a clip is coded with is no property of the scene.
TEST(Video, ColoursComeBackWhateverTheCoding) {
  constexpr int kColours[6][3] = {{255, 255, 255}, {230, 30, 30},   {30, 200, 30},
                                  {30, 30, 220},   {128, 128, 128}, {0, 0, 0}};
  for (const char* file : {"bt601.mp4", "bt709.mp4", "full_range.mp4"}) {
    const Encoded encoded =
        *encode("{frames: 1, size: [36, 48], scale: 1, layout: thwc}", bytes_of(file));
    const std::span<const float> values = encoded.tensors.front().tensor.values<float>();
    for (std::size_t patch = 0; patch < 6; ++patch) {
      const std::size_t pixel = 18 * 48 + patch * 8 + 4;
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(values[pixel * 3 + c], kColours[patch][c], 6) << file << " patch " << patch;
      }
    }
  }
}

TEST(Video, NormalisesAsPicturesDo) {
  const std::string clip = bytes_of("bframes.mp4");
  const Encoded plain = *encode("{frames: 2, size: 8, scale: 1}", clip);
  const Encoded scaled = *encode("{frames: 2, size: 8, mean: 0.5, std: 0.25, channels: bgr}", clip);
  const auto values = plain.tensors.front().tensor.values<float>();
  const auto result = scaled.tensors.front().tensor.values<float>();
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(result[i], (values[128 + i] / 255 - 0.5) / 0.25, 1e-5);
  }
  EXPECT_EQ(encode("{frames: 2, size: 8, channels: grey}", clip)->tensors.front().tensor.shape(),
            (Shape{1, 2, 1, 8, 8}));
}

TEST(Video, SaysWhatItGives) {
  const auto outputs = [](const char* settings) {
    std::string text;
    for (const TensorSpec& spec : (*open(settings))->outputs()) {
      text += to_string(spec) + "; ";
    }
    return text;
  };
  EXPECT_EQ(outputs("{frames: 16, size: [112, 96]}"), "video FP32 [1, 16, 3, 112, 96]; ");
  EXPECT_EQ(outputs("{rate: 5, size: 64, layout: thwc, channels: grey}"),
            "video FP32 [1, -1, 64, 64, 1]; ");
  EXPECT_EQ(outputs("{frames: 8, fit: shorter_side, resize_to: 64, layout: cthw}"),
            "video FP32 [1, 3, 8, -1, -1]; ");
  EXPECT_EQ(outputs("{frames: 8, size: 64, sound: {seconds: 1}}"),
            "video FP32 [1, 8, 3, 64, 64]; mel FP32 [1, 128, 32]; ");
}

TEST(Video, MeasuresTheClip) {
  const Encoded encoded =
      *encode("{frames: 4, size: 8, sound: {features: waveform}}", bytes_of("bframes.mp4"));
  EXPECT_EQ(quality(encoded, "frames"), 12);
  EXPECT_NEAR(quality(encoded, "seconds"), 12 / 25.0, 1e-9);
  EXPECT_NEAR(quality(encoded, "frames_per_second"), 25, 1e-6);
  EXPECT_EQ(quality(encoded, "width"), 48);
  EXPECT_EQ(quality(encoded, "height"), 36);
  EXPECT_EQ(quality(encoded, "has_sound"), 1);
  EXPECT_EQ(quality(encoded, "sound_rate"), 16000);
  EXPECT_EQ(quality(encoded, "sound_channels"), 2);
  EXPECT_EQ(quality(*encode("{frames: 1, size: 8}", bytes_of("turned_90.mp4")), "width"), 36);
  EXPECT_EQ(
      quality(*encode("{frames: 1, size: 8, rotate: false}", bytes_of("turned_90.mp4")), "width"),
      48);
}

TEST(Video, NamesAMissingSoundOrTakesItAsSilence) {
  const std::string clip = bytes_of("bare.264");
  const auto missing = encode("{frames: 2, size: 8, sound: {features: waveform}}", clip);
  EXPECT_EQ(missing.error().code, Code::kInvalidArgument);
  EXPECT_THAT(missing.error().describe(), HasSubstr("the video has no sound"));
  const Encoded silent = *encode(
      "{frames: 2, size: 8, sound: {features: waveform, rate: 8000, if_missing: silence}}", clip);
  EXPECT_EQ(silent.tensors.at(1).tensor.shape(), (Shape{1, 3840}));  // 12 frames of 1/25 s
  EXPECT_EQ(quality(silent, "has_sound"), 0);
  EXPECT_THAT(encode("{frames: 2, size: 8, sound: {mix: second}}", bytes_of("sound_late.mkv"))
                  .error()
                  .describe(),
              HasSubstr("one channel"));
}

TEST(Video, RefusesWhatIsNoVideo) {
  const auto refused = [](Bytes bytes) { return encode("{frames: 2, size: 8}", bytes).error(); };
  EXPECT_EQ(refused("").code, Code::kInvalidArgument);
  EXPECT_EQ(refused("{\"not\": \"a video\"}").code, Code::kInvalidArgument);
  EXPECT_EQ(refused(bytes_of("sound_alone.mp4")).code, Code::kInvalidArgument);
  EXPECT_THAT(refused(bytes_of("sound_alone.mp4")).describe(), HasSubstr("use modality audio"));
  EXPECT_EQ(refused(bytes_of("prores.mov")).code, Code::kUnsupported);
  EXPECT_THAT(refused(bytes_of("prores.mov")).describe(), HasSubstr("coded in 'prores'"));
  EXPECT_EQ(refused(bytes_of("../image/one.gif")).code, Code::kUnsupported);
  EXPECT_THAT(refused(bytes_of("../image/one.gif")).describe(), HasSubstr("format 'gif'"));
  // Lists that name other files and addresses are never followed.
  EXPECT_EQ(refused("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n").code,
            Code::kUnsupported);
  EXPECT_EQ(refused("ffconcat version 1.0\nfile /etc/passwd\n").code, Code::kUnsupported);
}

TEST(Video, HoldsItsLimits) {
  const std::string clip = bytes_of("bframes.mp4");
  const auto refused = [&](const std::string& limit) {
    return encode("{frames: 4, size: 8, sound: {}, " + limit + "}", clip).error();
  };
  for (const char* limit :
       {"bytes_max: 1000", "streams_max: 1", "pixels_max: 1000", "frames_max: 11",
        "seconds_max: 0.4", "decoded_max: 20000", "tensor_max: 1000"}) {
    const Error error = refused(limit);
    EXPECT_EQ(error.code, Code::kExhausted) << limit << ": " << error.describe();
    const std::string name = limit;
    EXPECT_THAT(error.describe(), HasSubstr(name.substr(0, name.find(':'))));
  }
  EXPECT_TRUE(encode("{frames: 4, size: 8, frames_max: 12, seconds_max: 0.6, streams_max: 2}", clip)
                  .has_value());
}

TEST(Video, TellsADamagedTail) {
  const std::string whole = bytes_of("ten_bits.mkv");
  EXPECT_TRUE(encode("{frames: 3, size: 8}", whole.substr(0, whole.size() - 40)).has_value());
  // An MP4 with its table at the end cannot be read when that is cut off.
  const std::string clip = bytes_of("bframes.mp4");
  const Error cut = encode("{frames: 3, size: 8}", clip.substr(0, clip.size() / 2)).error();
  EXPECT_EQ(cut.code, Code::kInvalidArgument);
  EXPECT_THAT(cut.describe(), HasSubstr("the video is damaged"));
  std::string spoilt = clip;
  const std::size_t data = spoilt.find("mdat") + 600;
  std::fill_n(spoilt.begin() + static_cast<std::ptrdiff_t>(data), 3000, '\x55');
  const Error error = encode("{frames: 3, size: 8}", spoilt).error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_THAT(error.describe(), HasSubstr("are damaged or missing; damaged_max"));
  const Encoded shown = *encode("{frames: 3, size: 8, damaged_max: 1}", spoilt);
  EXPECT_GT(quality(shown, "damaged"), 0.1);
}

std::string box(const std::string& name, const std::string& content) {
  const auto size = static_cast<std::uint32_t>(content.size() + 8);
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(size >> shift & 0xFF);
  }
  return bytes + name + content;
}

// Each of these has taken other readers' memory or time.
TEST(Video, EndsWithHostileFiles) {
  const std::string head = box("ftyp", std::string("isom\0\0\2\0isomiso2", 16));
  std::string tracks;
  for (int i = 0; i < 1'000'000; ++i) {
    tracks += box("trak", "");
  }
  const Error crowd = encode("{frames: 2, size: 8}", head + box("moov", tracks)).error();
  EXPECT_EQ(crowd.code, Code::kExhausted) << crowd.describe();
  EXPECT_THAT(crowd.describe(), HasSubstr("more than 32 streams"));

  std::string nested;
  for (int i = 0; i < 20'000; ++i) {
    nested = i % 100 == 0 ? box("moov", nested) : nested;
  }
  EXPECT_FALSE(encode("{frames: 2, size: 8}", head + nested).has_value());

  // A table of 2^28 sizes that is not there; frames of 65535 × 65535.
  std::string lying = bytes_of("bframes.mp4");
  const std::size_t sizes = lying.find("stsz");
  lying.replace(sizes + 12, 4, "\x10\0\0\0", 4);
  EXPECT_FALSE(encode("{frames: 2, size: 8}", lying).has_value());
  std::string large = bytes_of("bframes.mp4");
  const std::size_t entry = large.find("avc1", large.find("stsd"));
  large.replace(entry + 28, 4, "\xFF\xFF\xFF\xFF");
  const Error pixels = encode("{frames: 2, size: 8}", large).error();
  EXPECT_EQ(pixels.code, Code::kExhausted) << pixels.describe();
}

TEST(Video, SurvivesTwoHundredMutatedClips) {
  const auto preprocessor = *open(
      "{frames: 4, size: 16, damaged_max: 1, seconds_max: 10, sound: {if_missing: silence, bands: "
      "20, n_fft: 256, hop: 128, rate: 8000}}");
  std::mt19937 chance(20270101);
  int encoded_count = 0;
  for (int i = 0; i < 200; ++i) {
    constexpr const char* kFiles[] = {"mpeg1.mpg", "bframes.mp4", "mpeg4.avi",  "vp8.webm",
                                      "vp9.webm",  "stream.ts",   "uneven.mkv", "motion_jpeg.avi"};
    std::string bytes = bytes_of(kFiles[i % 8]);
    for (int edit = 0; edit <= i % 30; ++edit) {
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    }
    if (i % 5 == 0) {
      bytes.resize(bytes.size() - chance() % bytes.size());
    }
    const auto encoded = preprocessor->encode(bytes);
    encoded_count += encoded.has_value() ? 1 : 0;
    if (!encoded.has_value()) {
      const Code code = encoded.error().code;
      EXPECT_TRUE(code == Code::kInvalidArgument || code == Code::kUnsupported ||
                  code == Code::kExhausted)
          << encoded.error().describe();
    }
  }
  EXPECT_GT(encoded_count, 50);
}

TEST(Video, ExplainsAWrongSetUp) {
  const auto complaint = [](const char* settings) { return open(settings).error().describe(); };
  EXPECT_THAT(complaint("{size: 8}"), HasSubstr("the number of frames is wanted, or 'rate'"));
  EXPECT_THAT(complaint("{frames: 4}"), HasSubstr("the pixels that the model takes are wanted"));
  EXPECT_THAT(complaint("{rate: 5, size: 8, places: centres}"), HasSubstr("has no use for it"));
  EXPECT_THAT(complaint("{frames: 4, size: 8, layout: nchw}"), HasSubstr("tchw, thwc, cthw"));
  EXPECT_THAT(complaint("{frames: 4, size: 8, sound: {trim_db: 30}}"),
              HasSubstr("against the frames"));
  EXPECT_THAT(complaint("{frames: 4, size: 8, sound: {seconds_max: 3}}"),
              HasSubstr("set it there"));
  EXPECT_THAT(complaint("{frames: 4, size: 8, sound: {if_mising: silence}}"),
              HasSubstr("did you mean 'if_missing'?"));
  EXPECT_THAT(complaint("{frame: 4, size: 8, rate: 1}"), HasSubstr("did you mean 'frames'?"));
}

}  // namespace
}  // namespace braid
