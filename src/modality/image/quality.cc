#include "modality/image/quality.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "modality/image/kernels.h"

namespace braid {
namespace {

constexpr std::size_t kRows = 256;

using Lumas = std::vector<std::int32_t>;

double variance(const LaplacianSums& sums, std::size_t count) {
  if (count == 0) {
    return 0;
  }
  const auto n = static_cast<double>(count);
  const double mean = static_cast<double>(sums.values) / n;
  return static_cast<double>(sums.squares) / n - mean * mean;
}

}  // namespace

PictureQuality measure_quality(const Picture& picture) {
  const std::size_t step = (picture.height() + kRows - 1) / kRows;
  Lumas above(picture.width());
  Lumas row(picture.width());
  Lumas below(picture.width());
  LaplacianSums laplacian;
  std::size_t inner_count = 0;
  std::int64_t total = 0;
  std::int64_t clipped = 0;
  std::size_t count = 0;
  for (std::size_t y = 0; y < picture.height(); y += step) {
    const bool follows = step == 1 && y > 0;  // then two of the three rows are already here
    const bool inner = y > 0 && y + 1 < picture.height() && picture.width() > 2;
    if (follows) {
      std::swap(above, row);
      std::swap(row, below);
    } else {
      lumas_of(picture.row(y), row);
    }
    if (y + 1 < picture.height()) {
      lumas_of(picture.row(y + 1), below);
    }
    if (inner && !follows) {
      lumas_of(picture.row(y - 1), above);
    }
    if (inner) {
      const LaplacianSums sums = laplacian_sums(above, row, below);
      laplacian.values += sums.values;
      laplacian.squares += sums.squares;
      inner_count += row.size() - 2;
    }
    for (const std::int32_t value : row) {
      total += value;
      clipped += static_cast<std::int64_t>(value == 0 || value == 255);
    }
    count += row.size();
  }
  const auto pixels = static_cast<double>(count);
  return {variance(laplacian, inner_count), static_cast<double>(total) / pixels / 255,
          static_cast<double>(clipped) / pixels};
}

}  // namespace braid
