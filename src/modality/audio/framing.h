#pragma once
// SoundFraming: cuts a sound into overlapping frames and lays them, windowed, into Lanes, as
// librosa, PyTorch or Kaldi do it. Threads: constant after construction.

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "modality/audio/lanes.h"

namespace braid {

enum class WindowShape { kHann, kHamming, kBlackman, kPovey, kRectangular };
enum class PadMode { kConstant, kReflect, kEdge };

struct FrameOptions {
  std::size_t fft_size = 2048;
  std::size_t window_length = 2048;  // at most fft_size
  std::size_t hop = 512;
  WindowShape window = WindowShape::kHann;
  bool centre = true;  // frame t is centred on sample t · hop, and the ends are padded
  PadMode pad_mode = PadMode::kConstant;
  float scale = 1;  // of the samples, before all else
  /// As Kaldi: a frame is as long as the window, zeros follow it; its mean is taken off, then
  /// `preemphasis` of the sample before; the window is symmetric.
  bool kaldi = false;
  float preemphasis = 0;
};

class SoundFraming {
 public:
  explicit SoundFraming(const FrameOptions& options);

  /// kInvalidArgument when the sound is shorter than one frame.
  Result<std::size_t> frame_count(std::size_t sample_count) const;

  /// What load() wants: the samples with both ends padded.
  std::vector<float> padded(std::span<const float> samples) const;

  /// Frames `first` … `first + count - 1`, at most kLanes; the other lanes become zeros. `frames`
  /// holds fft_size.
  void load(std::span<const float> padded, std::size_t first, std::size_t count,
            std::span<Lanes> frames) const;

 private:
  void prepare_kaldi(std::span<float> frame) const;

  FrameOptions options_;
  std::vector<float> window_;     // scaled
  std::size_t window_begin_ = 0;  // in a frame
  std::size_t frame_length_ = 0;  // in samples that must be there
};

}  // namespace braid
