#pragma once
// Samples of a decoded frame of sound, whatever FFmpeg's format: mixed to one channel, full scale
// ±1. Threads: pure functions.

#include <cstdint>
#include <span>

struct AVFrame;

namespace braid {

struct MixedSamples {
  bool is_known = true;            // the sample format
  bool is_sound = true;            // every sample is a number within 65536 times full scale
  std::int64_t clipped_count = 0;  // samples of any channel at full scale or beyond
};

/// Writes the frame's samples begin … begin + to.size() - 1. `mix` as in VideoRequest.
MixedSamples mix_samples(const AVFrame& frame, std::size_t begin, int mix, std::span<float> to);

}  // namespace braid
