#include "modality/audio/pooling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace braid {
namespace {

double mean_of(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const float> values, double mean) {
  double squares = 0;
  for (const float value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::span<const float> part_of(std::span<const float> row, std::size_t index, std::size_t parts) {
  if (row.size() < parts) {
    return row;
  }
  const std::size_t size = row.size() / parts;
  const std::size_t longer = row.size() % parts;  // the first so many have a frame more
  const std::size_t begin = index * size + std::min(index, longer);
  return row.subspan(begin, size + (index < longer ? 1 : 0));
}

}  // namespace

std::size_t pooled_width(std::size_t row_count, const PoolOptions& options) {
  return row_count * (2 + options.segments) + (options.length ? 1 : 0);
}

Result<Tensor> pooled(const Grid& grid, const PoolOptions& options) {
  const std::size_t width = pooled_width(grid.rows, options);
  BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, Shape{1, width}));
  const std::span<float> values = tensor.mutable_values<float>();
  const auto scaled = [&](double mean) {
    return static_cast<float>((mean - options.mean) / options.std);
  };
  for (std::size_t i = 0; i < grid.rows; ++i) {
    const std::span<const float> row = grid.row(i);
    const double mean = mean_of(row);
    values[i] = scaled(mean);
    values[grid.rows + i] = static_cast<float>(deviation_of(row, mean) / options.std);
    for (std::size_t s = 0; s < options.segments; ++s) {
      values[(2 + s) * grid.rows + i] = scaled(mean_of(part_of(row, s, options.segments)));
    }
  }
  if (options.length) {
    values.back() = static_cast<float>(std::log(static_cast<double>(grid.columns)));
  }
  return tensor;
}

}  // namespace braid
