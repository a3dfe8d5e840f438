#pragma once
// SoundTensors: a decoded sound to the one tensor that a pipeline asks for, whether it came in a
// file of its own or with a video. Threads: constant after construction.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "modality/audio/activity.h"
#include "modality/audio/audio_options.h"
#include "modality/audio/decode.h"
#include "modality/audio/features.h"
#include "tensor/spec.h"
#include "tensor/tensor.h"

namespace braid {

class SoundTensors {
 public:
  explicit SoundTensors(const AudioOptions& options);

  /// In this order: resample, trim, voice gate, normalise, crop or pad, features. Adds the tensor
  /// and returns the quality numbers. `sound` holds at least one sample, each a number.
  /// kInvalidArgument when nothing is left or it is too short, kExhausted for too many features.
  Result<std::vector<std::pair<std::string, double>>> encode(Sound sound,
                                                             NamedTensors& tensors) const;

  TensorSpec spec() const;

 private:
  Result<std::vector<float>> prepared(std::vector<float> samples, const Activity& activity) const;
  void fit_length(std::vector<float>& samples) const;

  AudioOptions options_;
  std::optional<SoundFeatures> features_;
};

}  // namespace braid
