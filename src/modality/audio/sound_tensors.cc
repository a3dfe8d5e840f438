#include "modality/audio/sound_tensors.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

/// As transformers' Wav2Vec2FeatureExtractor.
void normalise(std::vector<float>& samples) {
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

}  // namespace

SoundTensors::SoundTensors(const AudioOptions& options) : options_(options) {
  if (options_.features != AudioFeatures::kWaveform) {
    features_.emplace(options_);
  }
}

TensorSpec SoundTensors::spec() const {
  if (features_.has_value()) {
    return features_->spec();
  }
  const std::int64_t samples =
      options_.samples == 0 ? -1 : static_cast<std::int64_t>(options_.samples);
  return {"waveform", DType::kFp32, {1, samples}};
}

Result<std::vector<std::pair<std::string, double>>> SoundTensors::encode(
    Sound sound, NamedTensors& tensors) const {
  const auto seconds = static_cast<double>(sound.samples.size()) / static_cast<double>(sound.rate);
  BRAID_TRY(sound.samples,
            resampled(std::move(sound.samples), sound.rate, options_.rate, options_.quality));
  const Activity activity = find_activity(sound.samples, options_.rate);
  BRAID_TRY(std::vector<float> samples, prepared(std::move(sound.samples), activity));
  if (features_.has_value()) {
    BRAID_TRY(Tensor tensor, features_->of(samples));
    tensors.push_back({features_->spec().name, std::move(tensor)});
  } else {
    BRAID_TRY(Tensor tensor, Tensor::from(Shape{1, samples.size()}, samples));
    tensors.push_back({"waveform", std::move(tensor)});
  }
  return std::vector<std::pair<std::string, double>>{
      {"seconds", seconds},
      {"rate", static_cast<double>(sound.rate)},
      {"channels", static_cast<double>(sound.channels)},
      {"clipped", sound.clipped},
      {"snr_db", activity.snr_db},
      {"speech_share", activity.speech_share}};
}

/// What features are made of; at least one sample.
Result<std::vector<float>> SoundTensors::prepared(std::vector<float> samples,
                                                  const Activity& activity) const {
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

/// Zeros follow what is too short.
void SoundTensors::fit_length(std::vector<float>& samples) const {
  if (samples.size() > options_.samples && options_.crop != Crop::kBegin) {
    const std::size_t spare = samples.size() - options_.samples;
    const std::size_t begin = options_.crop == Crop::kCentre ? spare / 2 : spare;
    samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  samples.resize(options_.samples);
}

}  // namespace braid
