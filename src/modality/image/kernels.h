#pragma once
// The inner loops over pixels: two passes of a resize and the two of quality. Each comes in
// portable C++ and, for CPUs that have AVX2, in vectors of eight integers; both give the same bits.
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

/// Weighted sums of neighbours in a row, rounded as Pillow rounds: half is added, the fraction cut,
/// the rest clipped to 0 … 255. `from` is readable for one pixel more than the axis is long, `to`
/// writable for whole blocks.
void along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to);

/// Likewise of rows: as many as weights, all as long as `to`, which is whole blocks.
void along_columns(std::span<const std::int32_t> weights, std::span<const std::uint8_t* const> rows,
                   std::span<std::uint8_t> to);

/// ITU-R 601-2 with weights of 16 bits, as Pillow's mode L. As many pixels as `lumas` is long.
void lumas_of(const std::uint8_t* pixels, std::span<std::int32_t> lumas);

struct LaplacianSums {
  std::int64_t values = 0;
  std::int64_t squares = 0;
};

/// Of the kernel 0 1 0 / 1 -4 1 / 0 1 0 on all inner pixels of `row`. All three are equally long.
LaplacianSums laplacian_sums(std::span<const std::int32_t> above, std::span<const std::int32_t> row,
                             std::span<const std::int32_t> below);

/// What the passes do on a CPU without AVX2.
namespace portable {
void along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to);
void along_columns(std::span<const std::int32_t> weights, std::span<const std::uint8_t* const> rows,
                   std::span<std::uint8_t> to);
}  // namespace portable

}  // namespace braid
