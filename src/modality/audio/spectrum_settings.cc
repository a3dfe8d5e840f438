#include "modality/audio/spectrum_settings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::int64_t kFftMax = std::int64_t{1} << 16;

/// kLibrosa: of librosa.feature.melspectrogram and power_to_db. kTorchaudio: of
/// torchaudio.transforms.MelSpectrogram and AmplitudeToDB. kKaldi: of compute-fbank-feats, which
/// torchaudio.compliance.kaldi and kaldi-native-fbank follow.
struct Defaults {
  std::int64_t fft_size;
  std::int64_t window_length;
  std::int64_t hop;
  const char* window;
  const char* pad_mode;
  std::int64_t bands;
  double f_min;
  const char* mel_scale;
  const char* log;
  double log_floor;
  double range;
};

/// `fft_size` and `window_length` are what the pipeline says, 0 where it is silent.
Defaults defaults_of(Convention convention, std::int64_t rate, const std::string& features,
                     std::int64_t fft_size, std::int64_t window_length) {
  const auto or_else = [](std::int64_t said, std::int64_t fallback) {
    return said > 0 ? said : fallback;
  };
  switch (convention) {
    case Convention::kLibrosa:
      fft_size = or_else(fft_size, 2048);
      return {fft_size,   or_else(window_length, fft_size),
              512,        "hann",
              "constant", 128,
              0,          "slaney",
              "db",       1e-10,
              80};
    case Convention::kTorchaudio:
      fft_size = or_else(fft_size, 400);
      window_length = or_else(window_length, fft_size);
      return {fft_size,
              window_length,
              window_length / 2,
              "hann",
              "reflect",
              128,
              0,
              "htk",
              "db",
              1e-10,
              features == "mfcc" ? 80.0 : 0.0};
    case Convention::kKaldi:
      break;
  }
  window_length = or_else(window_length, rate / 40);
  const auto rounded = std::bit_ceil(static_cast<std::uint64_t>(window_length));
  return {or_else(fft_size, static_cast<std::int64_t>(rounded)),
          window_length,
          rate / 100,
          "povey",
          "constant",
          23,
          20,
          "kaldi",
          "ln",
          1.1920928955078125e-07,
          0};
}

Result<WindowShape> read_window(const Settings& settings, const Defaults& defaults) {
  BRAID_TRY(const std::string name,
            settings.choice("window", {"hann", "hamming", "blackman", "povey", "rectangular"},
                            defaults.window));
  return name == "hann"       ? WindowShape::kHann
         : name == "hamming"  ? WindowShape::kHamming
         : name == "blackman" ? WindowShape::kBlackman
         : name == "povey"    ? WindowShape::kPovey
                              : WindowShape::kRectangular;
}

Result<void> read_sizes(const Settings& settings, const Defaults& defaults, FrameOptions& frames) {
  BRAID_TRY(const std::int64_t hop, settings.integer("hop", defaults.hop, 1, kFftMax));
  const auto size = static_cast<std::size_t>(defaults.fft_size);
  if (!LaneFft::can_do(size)) {
    return settings.error("n_fft", fmt::format("{} cannot be transformed: an even number without "
                                               "a prime factor above 5 is wanted, such as {}",
                                               size, LaneFft::next_size(size)));
  }
  if (defaults.window_length > defaults.fft_size) {
    return settings.error("window_length",
                          fmt::format("{} is longer than n_fft, {}", defaults.window_length, size));
  }
  frames.fft_size = size;
  frames.window_length = static_cast<std::size_t>(defaults.window_length);
  frames.hop = static_cast<std::size_t>(hop);
  return {};
}

Result<FrameOptions> read_frames(const Settings& settings, Convention convention,
                                 const Defaults& defaults) {
  FrameOptions frames;
  frames.kaldi = convention == Convention::kKaldi;
  BRAID_TRY_DO(read_sizes(settings, defaults, frames));
  BRAID_TRY(frames.window, read_window(settings, defaults));
  BRAID_TRY(const double scale, settings.number("scale", 1, 1e-6, 32768));
  frames.scale = static_cast<float>(scale);
  if (frames.kaldi) {
    frames.centre = false;
    BRAID_TRY(const double preemphasis, settings.number("preemphasis", 0.97, 0, 1));
    frames.preemphasis = static_cast<float>(preemphasis);
    return frames;
  }
  BRAID_TRY(frames.centre, settings.flag("centre", true));
  BRAID_TRY(const std::string pad,
            settings.choice("pad_mode", {"constant", "reflect", "edge"}, defaults.pad_mode));
  frames.pad_mode = pad == "constant"  ? PadMode::kConstant
                    : pad == "reflect" ? PadMode::kReflect
                                       : PadMode::kEdge;
  return frames;
}

Result<MelOptions> read_mel(const Settings& settings, Convention convention, std::int64_t rate,
                            const Defaults& defaults) {
  const double half = static_cast<double>(rate) / 2;
  MelOptions mel;
  BRAID_TRY(const std::int64_t bands, settings.integer("bands", defaults.bands, 1, 1024));
  mel.bands = static_cast<std::size_t>(bands);
  BRAID_TRY(mel.f_min, settings.number("f_min", defaults.f_min, 0, half));
  BRAID_TRY(mel.f_max, settings.number("f_max", half, 0, half));
  if (mel.f_max <= mel.f_min) {
    return settings.error("f_max",
                          fmt::format("{} Hz is not above f_min, {} Hz", mel.f_max, mel.f_min));
  }
  BRAID_TRY(const std::string scale,
            settings.choice("mel_scale", {"slaney", "htk", "kaldi"}, defaults.mel_scale));
  mel.scale = scale == "slaney" ? MelScale::kSlaney
              : scale == "htk"  ? MelScale::kHtk
                                : MelScale::kKaldi;
  BRAID_TRY(const std::string norm,
            settings.choice("mel_norm", {"slaney", "none"},
                            convention == Convention::kLibrosa ? "slaney" : "none"));
  mel.area_norm = norm == "slaney";
  if (mel.area_norm && mel.scale == MelScale::kKaldi) {
    return settings.error("mel_norm", "'mel_scale: kaldi' has no norm; use 'none'");
  }
  return mel;
}

Result<LogOptions> read_log(const Settings& settings, Defaults defaults, bool of_amplitudes) {
  LogOptions log;
  log.of_amplitudes = of_amplitudes;
  BRAID_TRY(const std::string unit, settings.choice("log", {"db", "ln", "log10"}, defaults.log));
  log.unit = unit == "db" ? LogUnit::kDecibel : unit == "ln" ? LogUnit::kNatural : LogUnit::kTen;
  if (log.unit != LogUnit::kDecibel) {
    defaults.range = 0;
  }
  BRAID_TRY(const double floor, settings.number("log_floor", defaults.log_floor, 1e-30, 1));
  log.floor = static_cast<float>(floor);
  BRAID_TRY(const std::string guard, settings.choice("log_guard", {"clamp", "add"}, "clamp"));
  log.add_floor = guard == "add";
  BRAID_TRY(log.relative, settings.flag("log_relative", false));
  BRAID_TRY(const double range, settings.number("range", defaults.range, 0, 1e6));
  log.range = static_cast<float>(range);
  return log;
}

}  // namespace

Result<SpectrogramOptions> read_spectrum(const Settings& settings, Convention convention,
                                         std::int64_t rate, const std::string& features) {
  BRAID_TRY(const std::int64_t fft_size, settings.integer("n_fft", 0, 4, kFftMax));
  BRAID_TRY(const std::int64_t window_length, settings.integer("window_length", 0, 2, kFftMax));
  Defaults defaults = defaults_of(convention, rate, features, fft_size, window_length);
  SpectrogramOptions options;
  BRAID_TRY(options.frames, read_frames(settings, convention, defaults));
  BRAID_TRY(const std::int64_t power, settings.integer("power", 2, 1, 2));
  options.amplitudes = power == 1;
  // librosa.amplitude_to_db; torchaudio keeps its floor.
  if (options.amplitudes && convention == Convention::kLibrosa) {
    defaults.log_floor = 1e-5;
  }
  BRAID_TRY(options.mel, read_mel(settings, convention, rate, defaults));
  if (features == "mel") {
    options.log.unit = LogUnit::kNone;
    return options;
  }
  BRAID_TRY(options.log, read_log(settings, defaults, options.amplitudes));
  return options;
}

}  // namespace braid
