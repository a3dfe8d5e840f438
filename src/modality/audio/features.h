#pragma once
// SoundFeatures: samples to the features that a pipeline asks for, as one tensor. Threads: constant
// after construction.

#include <span>

#include "base/result.h"
#include "modality/audio/audio_options.h"
#include "modality/audio/mel_spectrogram.h"
#include "modality/audio/pooling.h"
#include "tensor/spec.h"
#include "tensor/tensor.h"

namespace braid {

class SoundFeatures {
 public:
  explicit SoundFeatures(const AudioOptions& options);

  TensorSpec spec() const;

  /// `samples` are finite and not empty.
  Result<Tensor> of(std::span<const float> samples) const;

 private:
  std::size_t row_count() const;
  PoolOptions pool_options() const;
  Result<Tensor> framed(const Grid& grid) const;

  AudioOptions options_;
  MelSpectrogram spectrogram_;
};

}  // namespace braid
