#pragma once
// The two inner loops of resizing, in vectors of eight integers; for AVX2 where the CPU has it.
// Both round as Pillow does: half is added, the fraction cut, the rest clipped to 0 … 255.
// Threads: pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modality/image/weights.h"

namespace braid {

constexpr std::size_t kBlockBytes = 32;  // of a row, which the second pass makes at once

/// The weights of a row, laid out for vectors of two pixels: each four times, an odd last one
/// followed by zeros.
class PairedWeights {
 public:
  explicit PairedWeights(const AxisWeights& axis);

  struct Pixel {
    std::size_t source_byte;  // of the first pixel
    std::size_t begin;        // in lanes()
    std::size_t pairs;
  };
  std::span<const Pixel> pixels() const { return pixels_; }
  const std::int32_t* lanes() const { return lanes_.data(); }

 private:
  std::vector<Pixel> pixels_;
  std::vector<std::int32_t> lanes_;
};

/// `from` is readable for one pixel more than the axis is long.
void along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to);

/// As many rows as weights, all as long as `to`: whole blocks.
void along_columns(std::span<const std::int32_t> weights, std::span<const std::uint8_t* const> rows,
                   std::span<std::uint8_t> to);

}  // namespace braid
