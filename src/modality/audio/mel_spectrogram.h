#pragma once
// MelSpectrogram: a sound to bands of mel by frames, eight frames at a time. Threads: constant
// after construction.

#include <cstdint>
#include <span>

#include "base/result.h"
#include "modality/audio/framing.h"
#include "modality/audio/grid.h"
#include "modality/audio/lane_fft.h"
#include "modality/audio/loudness.h"
#include "modality/audio/mel_bank.h"

namespace braid {

struct SpectrogramOptions {
  FrameOptions frames;
  bool amplitudes = false;  // |X| instead of |X|² goes into the bands
  MelOptions mel;
  LogOptions log;
};

class MelSpectrogram {
 public:
  MelSpectrogram(const SpectrogramOptions& options, std::int64_t rate);

  std::size_t band_count() const { return bank_.band_count(); }

  /// `samples` are finite and not empty. kInvalidArgument when they are shorter than a frame,
  /// kExhausted when the grid would have more than 2^24 values.
  Result<Grid> of(std::span<const float> samples) const;

 private:
  SoundFraming framing_;
  LaneFft fft_;
  bool amplitudes_;
  MelBank bank_;
  Loudness loudness_;
};

}  // namespace braid
