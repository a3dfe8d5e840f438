#include <cmath>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;

const std::filesystem::path kData = "tests/data/modality/audio";

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("audio", settings);
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return open(parsed);
}

std::string bytes_of(const std::string& file) { return *read_file(kData / file); }

Result<Encoded> encode(const std::string& settings, Bytes raw) {
  return (*open(settings))->encode(raw);
}

std::vector<float> values_of(const Encoded& encoded) {
  const auto values = encoded.tensors.front().tensor.values<float>();
  return {values.begin(), values.end()};
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
class GoldenSound : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }

  std::vector<float> expected() const {
    const std::string bytes = bytes_of("expected.bin");
    std::vector<float> all(bytes.size() / sizeof(float));
    std::memcpy(all.data(), bytes.data(), bytes.size());
    const auto begin = all.begin() + *at("at").integer();
    std::size_t count = 1;
    for (const std::size_t extent : shape()) {
      count *= extent;
    }
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  Shape shape() const {
    Shape shape;
    for (const double extent : *at("shape").numbers()) {
      shape.push_back(static_cast<std::size_t>(extent));
    }
    return shape;
  }
};

// The numbers of librosa, torchaudio and Kaldi, which are of another size in each case: logarithms
// within 1e-3, as issue 4 asks, spectra within 1e-3 of the largest, samples within 1e-5.
TEST_P(GoldenSound, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const Encoded encoded = *preprocessor->encode(bytes_of(at("file").text()));
  const Tensor& tensor = encoded.tensors.front().tensor;
  ASSERT_EQ(tensor.shape(), shape());
  ASSERT_TRUE(check_fits(preprocessor->outputs().front(), tensor.view()).has_value());
  const std::vector<float> wanted = expected();
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = std::abs(tensor.values<float>()[i] - wanted[i]);
    worst = std::max(worst, std::isnan(difference) ? 1e9 : difference);
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
  }
  RecordProperty("largest_difference", std::to_string(worst));
  const Yaml* features = at("settings").find("features");
  const std::string name = features == nullptr ? "log_mel" : features->text();
  RecordProperty("features", name);
  const double near = name == "waveform" ? 1e-5 : name == "mel" ? 1e-4 * largest : 1e-3;
  EXPECT_LE(worst, near);
}

std::vector<Yaml> golden_cases() { return Yaml::read(kData / "cases.yaml")->items(); }

INSTANTIATE_TEST_SUITE_P(Audio, GoldenSound, testing::ValuesIn(golden_cases()),
                         [](const auto& each) { return "case" + std::to_string(each.index); });

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(value >> 8 * i & 0xFF);
  }
  return bytes;
}

/// A WAV, right by default; each test spoils a part of it.
struct Wav {
  std::uint64_t codec = 1;
  std::uint64_t channels = 1;
  std::uint64_t rate = 8000;
  std::uint64_t block = 2;
  std::uint64_t bits = 16;
  std::string data = std::string(1600, '\x10');
  std::uint64_t data_size = 1600;
  std::string before = {};  // chunks before the format
  std::uint64_t format_size = 16;

  std::string bytes() const {
    const std::string format = number(codec, 2) + number(channels, 2) + number(rate, 4) +
                               number(rate * block, 4) + number(block, 2) + number(bits, 2);
    const std::string body = "WAVE" + before + "fmt " + number(format_size, 4) +
                             format.substr(0, format_size) + "data" + number(data_size, 4) + data;
    return "RIFF" + number(body.size(), 4) + body;
  }
};

constexpr const char* kRaw = "{features: waveform, rate: 8000}";

Error refusal(const Wav& wav) { return encode(kRaw, wav.bytes()).error(); }

TEST(Audio, ScalesWholeNumbersToOne) {
  Wav wav;
  wav.data = number(0x4000, 2) + number(0x8000, 2) + number(0x7FFF, 2) + number(0, 2);
  wav.data_size = 8;
  // audio#2294, wenet#1056, LibrosaCpp#11: 16 bits that reach a network unscaled.
  EXPECT_THAT(values_of(*encode(kRaw, wav.bytes())),
              testing::ElementsAre(0.5F, -1.0F, 32767 / 32768.0F, 0.0F));
}

// torchcodec#1378, wenet#220: a header is not 44 bytes long, and chunks behind are no samples.
TEST(Audio, ReadsOnlyTheSamplesOfAWav) {
  const auto plain = values_of(*encode(kRaw, bytes_of("pcm24.wav")));
  EXPECT_EQ(plain.size(), 2400U);
  EXPECT_EQ(values_of(*encode(kRaw, bytes_of("pcm24_behind.wav"))), plain);
}

TEST(Audio, ReadsAWavWhoseWriterCouldNotSeek) {
  EXPECT_EQ(values_of(*encode(kRaw, bytes_of("streamed.wav"))),
            values_of(*encode(kRaw, bytes_of("pcm24.wav"))));
}

// audio#2870: a division by zero.
TEST(Audio, RefusesAWavOfZeros) {
  EXPECT_THAT(refusal({.channels = 0}).describe(), HasSubstr("0 channels"));
  EXPECT_THAT(refusal({.rate = 0}).describe(), HasSubstr("0 samples a second"));
  EXPECT_THAT(refusal({.block = 0}).describe(), HasSubstr("a block of 1 channels has 0 bytes"));
  EXPECT_THAT(refusal({.bits = 0}).describe(), HasSubstr("a sample has 0 bits"));
  EXPECT_THAT(refusal({.format_size = 0}).describe(), HasSubstr("'fmt ' chunk has 0 bytes"));
}

TEST(Audio, RefusesAbsurdChannelsAndRates) {
  const Error crowd = refusal({.channels = 1000, .block = 2000});
  EXPECT_EQ(crowd.code, Code::kExhausted);
  EXPECT_THAT(crowd.describe(), HasSubstr("1000 channels; channels_max is 8"));
  for (const std::uint64_t rate : {1U, 999U, 384'001U, 0xFFFFFFFFU}) {
    EXPECT_EQ(refusal({.rate = rate}).code, Code::kInvalidArgument);
    EXPECT_THAT(refusal({.rate = rate}).describe(), HasSubstr("samples a second; 1000 … 384000"));
  }
}

TEST(Audio, RefusesAWavThatLiesAboutItsLength) {
  EXPECT_THAT(refusal({.data_size = 1601}).describe(),
              HasSubstr("'data' says that it has 1601 bytes, but 1600 came"));
  EXPECT_EQ(refusal({.data_size = 1U << 30}).code, Code::kInvalidArgument);
  EXPECT_THAT(refusal({.data = "", .data_size = 0}).describe(), HasSubstr("no samples"));
}

// libsndfile#1118: a bad size within INFO, with which it never came back.
TEST(Audio, EndsWithAnEndlessChunk) {
  const std::string endless = "LIST" + number(0xFFFFFFFF, 4) + "INFO";
  EXPECT_THAT(refusal({.before = endless}).describe(), HasSubstr("chunk 'LIST' says"));
  const std::string bad_info = "LIST" + number(12, 4) + "INFOISFT" + number(0xFFFFFFF8, 4);
  EXPECT_EQ(refusal({.data = "", .data_size = 0, .before = bad_info}).code, Code::kInvalidArgument);
  std::string many;  // a hundred thousand chunks of nothing
  for (int i = 0; i < 100'000; ++i) {
    many += "junk" + number(0, 4);
  }
  EXPECT_TRUE(encode(kRaw, Wav{.before = many}.bytes()).has_value());
}

// dr_libs#305: other chunks were counted in one pass and read in the next.
TEST(Audio, LooksIntoNoChunkThatItDoesNotNeed) {
  const std::string oversized =
      "smpl" + number(60, 4) + std::string(28, 'x') + number(0xFFFFFFFF, 4) + std::string(28, 'x');
  EXPECT_TRUE(encode(kRaw, Wav{.before = oversized}.bytes()).has_value());
  EXPECT_EQ(encode(kRaw, Wav{}.bytes().substr(0, 55)).error().code, Code::kInvalidArgument);
  EXPECT_EQ(encode(kRaw, Wav{}.bytes().substr(0, 44)).error().code, Code::kInvalidArgument);
}

TEST(Audio, RefusesSamplesThatAreNoNumbers) {
  for (const std::uint64_t bits : {0x7FC00000U, 0x7F800000U, 0xFF800000U, 0x60000000U}) {
    const std::string data = number(0x3F000000, 4) + number(bits, 4);
    const Error error = refusal({.codec = 3, .block = 4, .bits = 32, .data = data, .data_size = 8});
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    EXPECT_THAT(error.describe(), HasSubstr("sample 1 of the sound is"));
  }
}

TEST(Audio, HoldsItsLimits) {
  const std::string sound = bytes_of("mono16.wav");
  EXPECT_TRUE(encode("{seconds_max: 0.6}", sound).has_value());
  EXPECT_EQ(encode("{seconds_max: 0.59}", sound).error().code, Code::kExhausted);
  EXPECT_EQ(encode("{bytes_max: 1000}", sound).error().code, Code::kExhausted);
  EXPECT_EQ(encode("{channels_max: 1}", bytes_of("stereo.flac")).error().code, Code::kExhausted);
  EXPECT_EQ(encode("{seconds_max: 0.3}", bytes_of("wide.mp3")).error().code, Code::kExhausted);
  EXPECT_EQ(encode("{seconds_max: 0.3}", bytes_of("wide.ogg")).error().code, Code::kExhausted);
  EXPECT_EQ(encode("{hop: 1, bands: 1024, seconds_max: 3600}",
                   Wav{.data = std::string(320'000, '\1'), .data_size = 320'000}.bytes())
                .error()
                .code,
            Code::kExhausted);
}

TEST(Audio, RefusesNoBytesAndForeignBytes) {
  const std::map<std::string, Code> codes = {
      {"", Code::kInvalidArgument},         {"{\"not\": \"a sound\"}", Code::kInvalidArgument},
      {"RIFF", Code::kInvalidArgument},     {"fLaC", Code::kInvalidArgument},
      {"OggS", Code::kInvalidArgument},     {"ID3\x04", Code::kInvalidArgument},
      {"RIFXxxxxWAVE", Code::kUnsupported}, {"FORMxxxxAIFF", Code::kUnsupported},
      {"xxxxftypM4A ", Code::kUnsupported}};
  for (const auto& [bytes, code] : codes) {
    EXPECT_EQ(encode("{}", bytes).error().code, code) << bytes;
  }
  EXPECT_THAT(encode("{}", "FORMxxxxAIFF").error().describe(), HasSubstr("a sound in AIFF"));
  EXPECT_THAT(refusal({.codec = 0x55}).describe(), HasSubstr("codec 0x0055"));
}

// A client's upload that ended early must not be taken for a shorter sound.
TEST(Audio, RefusesAFileThatIsCut) {
  for (const char* file : {"mono16.wav", "stereo.flac", "adpcm.wav", "four.wav"}) {
    const std::string whole = bytes_of(file);
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8) {
      const auto cut = encode(kRaw, whole.substr(0, size));
      ASSERT_FALSE(cut.has_value()) << file << " at " << size;
      ASSERT_EQ(cut.error().code, Code::kInvalidArgument) << file << " at " << size;
    }
  }
}

TEST(Audio, SkipsTagsBeforeAnMp3) {
  const std::string sound = bytes_of("wide.mp3");
  const std::string tag = std::string("ID3\4\0\0\0\0\2\0", 10) + std::string(256, 'x');
  EXPECT_EQ(values_of(*encode("{}", tag + sound)), values_of(*encode("{}", sound)));
  const std::string endless = std::string("ID3\4\0\0\x7F\x7F\x7F\x7F", 10) + sound;
  EXPECT_THAT(encode("{}", endless).error().describe(), HasSubstr("ID3 tag"));
}

TEST(Audio, RefusesASoundShorterThanAFrame) {
  const std::string brief = Wav{.data = std::string(200, '\1'), .data_size = 200}.bytes();
  EXPECT_THAT(encode("{rate: 8000, centre: false}", brief).error().describe(),
              HasSubstr("100 samples, one frame takes 2048"));
  EXPECT_THAT(encode("{rate: 8000, convention: kaldi}", brief).error().describe(),
              HasSubstr("one frame takes 200"));
  EXPECT_THAT(encode("{rate: 8000, deltas: 1}", brief).error().describe(),
              HasSubstr("1 frames, deltas of 'delta_width: 9' take 9"));
  EXPECT_TRUE(encode("{rate: 8000, deltas: 1, seconds: 1}", brief).has_value());
  const std::string one = Wav{.data = "\1\1", .data_size = 2}.bytes();
  EXPECT_TRUE(encode("{rate: 8000, pad_mode: reflect}", one).has_value());
}

TEST(Audio, RefusesTheSecondChannelOfOne) {
  EXPECT_THAT(encode("{mix: second}", bytes_of("mono16.wav")).error().describe(),
              HasSubstr("one channel"));
}

TEST(Audio, CountsWhatIsClipped) {
  Wav wav;
  wav.data.clear();
  for (int i = 0; i < 400; ++i) {
    wav.data += number(i < 100 ? 0x7FFF : i < 200 ? 0x8000 : 0x1000, 2);
  }
  wav.data_size = 800;
  const Encoded encoded = *encode(kRaw, wav.bytes());
  EXPECT_DOUBLE_EQ(quality(encoded, "clipped"), 0.5);
  EXPECT_DOUBLE_EQ(quality(encoded, "seconds"), 0.05);
  EXPECT_EQ(quality(encoded, "rate"), 8000);
  EXPECT_EQ(quality(encoded, "channels"), 1);
}

TEST(Audio, GivesStatisticsOfAnyLength) {
  const auto preprocessor = *open("{pool: mean_std, bands: 64, n_fft: 512, hop: 160}");
  EXPECT_EQ(to_string(preprocessor->outputs().front()), "statistics FP32 [1, 128]");
  for (const char* file : {"mono16.wav", "order.wav", "wide.mp3"}) {
    EXPECT_EQ(preprocessor->encode(bytes_of(file))->tensors.front().tensor.shape(),
              (Shape{1, 128}));
  }
}

TEST(Audio, GivesSegmentsAndLengthBehindTheStatistics) {
  const auto preprocessor = *open("{pool: mean_std, bands: 40, segments: 6, length: true}");
  EXPECT_EQ(to_string(preprocessor->outputs().front()), "statistics FP32 [1, 321]");
}

TEST(Audio, SaysWhatItGives) {
  const auto output = [](const char* settings) {
    return to_string((*open(settings))->outputs().front());
  };
  EXPECT_EQ(output("{}"), "mel FP32 [1, 128, -1]");
  EXPECT_EQ(output("{seconds: 1}"), "mel FP32 [1, 128, 32]");
  EXPECT_EQ(output("{features: mfcc, deltas: 1, frames: 7}"), "mfcc FP32 [1, 40, 7]");
  EXPECT_EQ(output("{convention: kaldi}"), "mel FP32 [1, -1, 23]");
  EXPECT_EQ(output("{features: waveform, seconds: 0.5}"), "waveform FP32 [1, 8000]");
}

TEST(Audio, ExplainsAWrongSetUp) {
  const auto complaint = [](const char* settings) { return open(settings).error().describe(); };
  EXPECT_THAT(complaint("{n_fft: 551}"), HasSubstr("such as 576"));
  EXPECT_THAT(complaint("{n_fft: 400, window_length: 512}"), HasSubstr("longer than n_fft"));
  EXPECT_THAT(complaint("{f_min: 300, f_max: 300}"), HasSubstr("not above f_min"));
  EXPECT_THAT(complaint("{f_max: 9000}"), HasSubstr("outside 0 … 8000"));
  EXPECT_THAT(complaint("{features: mfcc, coefficients: 50, bands: 40}"),
              HasSubstr("50 cannot be made of 40 bands"));
  EXPECT_THAT(complaint("{pool: mean_std, frames: 9}"), HasSubstr("'seconds'"));
  EXPECT_THAT(complaint("{segments: 4}"), HasSubstr("'pool: mean_std'"));
  EXPECT_THAT(complaint("{delta_width: 4}"), HasSubstr("odd"));
  EXPECT_THAT(complaint("{mel_scale: kaldi}"), HasSubstr("mel_norm"));
  EXPECT_THAT(complaint("{features: waveform, bands: 8}"), HasSubstr("bands"));
  EXPECT_THAT(complaint("{voice_gat: true}"), HasSubstr("did you mean 'voice_gate'?"));
}

}  // namespace
}  // namespace braid
