// Audio: a WAV, FLAC, OGG or MP3 to one tensor, with the numbers of librosa, torchaudio or Kaldi:
//   mel [1, bands, frames], mfcc [1, coefficients, frames], statistics [1, 2 · rows] or
//   waveform [1, samples]
// In this order: decode, mix, resample, trim, voice gate, normalise, crop or pad, features.
// docs/audio.md lists the settings, docs/decisions/0024-sounds.md says why.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "modality/audio/activity.h"
#include "modality/audio/audio_options.h"
#include "modality/audio/features.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

class Audio final : public Preprocessor {
 public:
  explicit Audio(AudioOptions options) : options_(std::move(options)) {
    if (options_.features != AudioFeatures::kWaveform) {
      features_.emplace(options_);
    }
  }

  Result<Encoded> encode(Bytes raw) const override {
    BRAID_TRY(Sound sound, decode_sound(raw, options_.mix, options_.limits));
    const auto seconds =
        static_cast<double>(sound.samples.size()) / static_cast<double>(sound.rate);
    BRAID_TRY(sound.samples,
              resampled(std::move(sound.samples), sound.rate, options_.rate, options_.quality));
    const Activity activity = find_activity(sound.samples, options_.rate);
    Encoded encoded;
    encoded.quality = {{"seconds", seconds},
                       {"rate", static_cast<double>(sound.rate)},
                       {"channels", static_cast<double>(sound.channels)},
                       {"clipped", sound.clipped},
                       {"snr_db", activity.snr_db},
                       {"speech_share", activity.speech_share}};
    BRAID_TRY(std::vector<float> samples, prepared(std::move(sound.samples), activity));
    if (!features_.has_value()) {
      BRAID_TRY(Tensor tensor, Tensor::from(Shape{1, samples.size()}, samples));
      encoded.tensors.push_back({"waveform", std::move(tensor)});
      return encoded;
    }
    BRAID_TRY(Tensor tensor, features_->of(samples));
    encoded.tensors.push_back({features_->spec().name, std::move(tensor)});
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    if (features_.has_value()) {
      return {features_->spec()};
    }
    const std::int64_t samples =
        options_.samples == 0 ? -1 : static_cast<std::int64_t>(options_.samples);
    return {{"waveform", DType::kFp32, {1, samples}}};
  }

 private:
  /// What features are made of; at least one sample.
  Result<std::vector<float>> prepared(std::vector<float> samples, const Activity& activity) const {
    if (options_.voice_gate) {
      samples = speech_of(samples, options_.rate, activity);
      if (samples.empty()) {
        return Error{Code::kInvalidArgument, "the sound is silent: 'voice_gate' leaves nothing"};
      }
    }
    if (options_.trim_db.has_value()) {
      const std::span<const float> rest = trimmed(samples, *options_.trim_db);
      if (rest.empty()) {
        return Error{Code::kInvalidArgument, "the sound is silent: 'trim_db' leaves nothing"};
      }
      samples = std::vector<float>(rest.begin(), rest.end());
    }
    if (options_.normalise) {
      normalise(samples);
    }
    if (options_.samples != 0) {
      fit_length(samples);
    }
    return samples;
  }

  /// As transformers' Wav2Vec2FeatureExtractor.
  static void normalise(std::vector<float>& samples) {
    const auto count = static_cast<double>(samples.size());
    double sum = 0;
    for (const float sample : samples) {
      sum += sample;
    }
    const double mean = sum / count;
    double squares = 0;
    for (const float sample : samples) {
      squares += (sample - mean) * (sample - mean);
    }
    const double divisor = std::sqrt(squares / count + 1e-7);
    for (float& sample : samples) {
      sample = static_cast<float>((sample - mean) / divisor);
    }
  }

  /// Zeros follow what is too short.
  void fit_length(std::vector<float>& samples) const {
    if (samples.size() > options_.samples && options_.crop != Crop::kBegin) {
      const std::size_t spare = samples.size() - options_.samples;
      const std::size_t begin = options_.crop == Crop::kCentre ? spare / 2 : spare;
      samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    samples.resize(options_.samples);
  }

  const AudioOptions options_;
  std::optional<SoundFeatures> features_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(AudioOptions options, read_audio_options(settings));
  return std::unique_ptr<Preprocessor>(std::make_unique<Audio>(std::move(options)));
}

}  // namespace

void register_audio(Registry<Preprocessor>& registry) { registry.add("audio", open); }

}  // namespace braid
