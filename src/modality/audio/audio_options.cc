#include "modality/audio/audio_options.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "modality/audio/spectrum_settings.h"

namespace braid {
namespace {

constexpr std::int64_t kRateMin = 1000;
constexpr std::int64_t kRateMax = 192'000;
constexpr double kSecondsMax = 3600;

Result<void> read_limits(const Settings& settings, SoundLimits& limits) {
  constexpr std::int64_t kBytesMax = std::int64_t{1} << 31;
  BRAID_TRY(limits.bytes_max, settings.integer("bytes_max", limits.bytes_max, 1, kBytesMax));
  BRAID_TRY(limits.channels_max, settings.integer("channels_max", limits.channels_max, 1, 256));
  BRAID_TRY(limits.seconds_max,
            settings.number("seconds_max", limits.seconds_max, 0.01, kSecondsMax));
  return {};
}

/// From the file to the samples that features are made of.
Result<void> read_samples(const Settings& settings, AudioOptions& options) {
  BRAID_TRY(options.rate, settings.integer("rate", options.rate, kRateMin, kRateMax));
  BRAID_TRY(const std::string mix, settings.choice("mix", {"mean", "first", "second"}, "mean"));
  options.mix = mix == "mean" ? Mix::kMean : mix == "first" ? Mix::kFirst : Mix::kSecond;
  BRAID_TRY(const std::string quality,
            settings.choice("resampler", {"soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq"},
                            "soxr_hq"));
  options.quality = quality == "soxr_vhq"  ? SoxrQuality::kVeryHigh
                    : quality == "soxr_hq" ? SoxrQuality::kHigh
                    : quality == "soxr_mq" ? SoxrQuality::kMedium
                    : quality == "soxr_lq" ? SoxrQuality::kLow
                                           : SoxrQuality::kQuick;
  if (settings.find("trim_db") != nullptr) {
    BRAID_TRY(const double trim_db, settings.number("trim_db", 60, 1, 200));
    options.trim_db = trim_db;
  }
  BRAID_TRY(options.voice_gate, settings.flag("voice_gate", false));
  BRAID_TRY(options.normalise, settings.flag("normalise", false));
  BRAID_TRY(const double seconds, settings.number("seconds", 0, 0.001, options.limits.seconds_max));
  options.samples =
      static_cast<std::size_t>(std::llround(seconds * static_cast<double>(options.rate)));
  BRAID_TRY(const std::string crop, settings.choice("crop", {"begin", "centre", "end"}, "begin"));
  options.crop = crop == "begin" ? Crop::kBegin : crop == "centre" ? Crop::kCentre : Crop::kEnd;
  return {};
}

Result<void> read_cepstrum(const Settings& settings, Convention convention, AudioOptions& options) {
  const bool kaldi = convention == Convention::kKaldi;
  const std::int64_t fallback = convention == Convention::kLibrosa ? 20 : kaldi ? 13 : 40;
  const auto bands = static_cast<std::int64_t>(options.spectrogram.mel.bands);
  BRAID_TRY(const std::int64_t count, settings.integer("coefficients", fallback, 1, 1024));
  if (count > bands) {
    return settings.error("coefficients",
                          fmt::format("{} cannot be made of {} bands", count, bands));
  }
  options.cepstrum.coefficients = static_cast<std::size_t>(count);
  BRAID_TRY(options.cepstrum.lifter, settings.number("lifter", kaldi ? 22 : 0, 0, 1e6));
  options.cepstrum.lifter_from_0 = kaldi;
  return {};
}

Result<void> read_deltas(const Settings& settings, Convention convention, AudioOptions& options) {
  BRAID_TRY(const std::int64_t deltas, settings.integer("deltas", 0, 0, 2));
  options.deltas = static_cast<int>(deltas);
  const bool fit = convention == Convention::kLibrosa;
  BRAID_TRY(const std::int64_t width, settings.integer("delta_width", fit ? 9 : 5, 3, 101));
  if (width % 2 == 0) {
    return settings.error("delta_width", "an odd number is wanted");
  }
  options.delta_width = static_cast<std::size_t>(width);
  options.delta_edges = fit ? DeltaEdges::kFit : DeltaEdges::kReplicate;
  return {};
}

/// From features to the tensor.
Result<void> read_tensor(const Settings& settings, Convention convention, AudioOptions& options) {
  BRAID_TRY(const std::string pool, settings.choice("pool", {"none", "mean_std"}, "none"));
  options.pooled = pool == "mean_std";
  BRAID_TRY(const std::int64_t frames, settings.integer("frames", 0, 1, 1'000'000));
  options.frames = static_cast<std::size_t>(frames);
  if (options.pooled && options.frames != 0) {
    return settings.error("frames", "'pool: mean_std' takes all frames that come; use 'seconds'");
  }
  BRAID_TRY(const std::int64_t segments, settings.integer("segments", 0, 1, 1000));
  options.segments = static_cast<std::size_t>(segments);
  BRAID_TRY(options.length, settings.flag("length", false));
  for (const char* key : {"segments", "length"}) {
    if (!options.pooled && settings.find(key) != nullptr) {
      return settings.error(key, "belongs to 'pool: mean_std'");
    }
  }
  BRAID_TRY(const double frame_pad, settings.number("frame_pad", 0, -1e9, 1e9));
  options.frame_pad = static_cast<float>(frame_pad);
  BRAID_TRY(const double mean, settings.number("mean", 0, -1e9, 1e9));
  BRAID_TRY(const double std, settings.number("std", 1, 1e-9, 1e9));
  options.mean = static_cast<float>(mean);
  options.std = static_cast<float>(std);
  BRAID_TRY(const std::string layout,
            settings.choice("layout", {"bands_first", "frames_first"},
                            convention == Convention::kKaldi ? "frames_first" : "bands_first"));
  options.frames_first = layout == "frames_first";
  return {};
}

}  // namespace

Result<AudioOptions> read_audio_options(const Settings& settings) {
  AudioOptions options;
  BRAID_TRY_DO(read_limits(settings, options.limits));
  BRAID_TRY_DO(read_samples(settings, options));
  BRAID_TRY(const std::string features,
            settings.choice("features", {"log_mel", "mel", "mfcc", "waveform"}, "log_mel"));
  if (features == "waveform") {
    options.features = AudioFeatures::kWaveform;
    BRAID_TRY_DO(settings.finish());
    return options;
  }
  options.features = features == "mfcc" ? AudioFeatures::kMfcc : AudioFeatures::kMel;
  BRAID_TRY(const std::string name,
            settings.choice("convention", {"librosa", "torchaudio", "kaldi"}, "librosa"));
  const Convention convention = name == "librosa"      ? Convention::kLibrosa
                                : name == "torchaudio" ? Convention::kTorchaudio
                                                       : Convention::kKaldi;
  BRAID_TRY(options.spectrogram, read_spectrum(settings, convention, options.rate, features));
  if (options.features == AudioFeatures::kMfcc) {
    BRAID_TRY_DO(read_cepstrum(settings, convention, options));
  }
  BRAID_TRY_DO(read_deltas(settings, convention, options));
  BRAID_TRY_DO(read_tensor(settings, convention, options));
  BRAID_TRY_DO(settings.finish());
  return options;
}

}  // namespace braid
