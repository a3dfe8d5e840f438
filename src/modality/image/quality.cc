#include "modality/image/quality.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace braid {
namespace {

constexpr std::size_t kRows = 256;

using Lumas = std::vector<std::uint8_t>;

void read_lumas(const Picture& picture, std::size_t y, Lumas& into) {
  const std::uint8_t* pixel = picture.row(y);
  for (std::size_t x = 0; x < into.size(); ++x) {
    into[x] = luma(pixel + x * kPixelBytes);
  }
}

struct Moments {
  std::int64_t sum = 0;
  std::int64_t sum_of_squares = 0;
  std::int64_t count = 0;

  double variance() const {
    if (count == 0) {
      return 0;
    }
    const auto n = static_cast<double>(count);
    const double mean = static_cast<double>(sum) / n;
    return static_cast<double>(sum_of_squares) / n - mean * mean;
  }
};

/// Adds the Laplacian (kernel 0 1 0 / 1 -4 1 / 0 1 0) of all inner pixels of the middle row.
void add_laplacian(const Lumas& above, const Lumas& row, const Lumas& below, Moments& moments) {
  constexpr std::size_t kChunk = 1024;  // |value| ≤ 1020, so the squares of a chunk fit 32 bits
  const std::size_t end = row.size() - 1;
  for (std::size_t begin = 1; begin < end; begin += kChunk) {
    std::int32_t sum = 0;
    std::int32_t squares = 0;
    for (std::size_t x = begin; x < std::min(begin + kChunk, end); ++x) {
      const std::int32_t value = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x];
      sum += value;
      squares += value * value;
    }
    moments.sum += sum;
    moments.sum_of_squares += squares;
  }
  moments.count += static_cast<std::int64_t>(end - 1);
}

}  // namespace

PictureQuality measure_quality(const Picture& picture) {
  const std::size_t step = (picture.height() + kRows - 1) / kRows;
  Lumas above(picture.width());
  Lumas row(picture.width());
  Lumas below(picture.width());
  Moments laplacian;
  std::int64_t total = 0;
  std::int64_t clipped = 0;
  std::int64_t count = 0;
  for (std::size_t y = 0; y < picture.height(); y += step) {
    const bool follows = step == 1 && y > 0;  // then two of the three rows are already here
    if (follows) {
      std::swap(above, row);
      std::swap(row, below);
    } else {
      read_lumas(picture, y, row);
    }
    const bool inner = y > 0 && y + 1 < picture.height() && picture.width() > 2;
    if (y + 1 < picture.height()) {
      read_lumas(picture, y + 1, below);
    }
    if (inner && !follows) {
      read_lumas(picture, y - 1, above);
    }
    if (inner) {
      add_laplacian(above, row, below, laplacian);
    }
    for (const std::uint8_t value : row) {
      total += value;
      clipped += value == 0 || value == 255 ? 1 : 0;
    }
    count += static_cast<std::int64_t>(row.size());
  }
  const auto pixels = static_cast<double>(count);
  return {laplacian.variance(), static_cast<double>(total) / pixels / 255,
          static_cast<double>(clipped) / pixels};
}

}  // namespace braid
