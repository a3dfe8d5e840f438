#pragma once
// Matrix: rows of numbers in double precision, for fitting only. Serving uses Tensor.
// Threads: a value like any other.

#include <cstddef>
#include <span>
#include <vector>

#include "base/check.h"

namespace braid {

struct Matrix {
  std::size_t row_count = 0;
  std::size_t width = 0;
  std::vector<double> values;  // row-major

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : row_count(rows), width(columns), values(rows * columns) {}

  std::span<double> row(std::size_t index) { return {values.data() + index * width, width}; }
  std::span<const double> row(std::size_t index) const {
    return {values.data() + index * width, width};
  }
  double& at(std::size_t row_index, std::size_t column) {
    return values[row_index * width + column];
  }
  double at(std::size_t row_index, std::size_t column) const {
    return values[row_index * width + column];
  }
};

/// The rows of those indices, in that order.
inline Matrix rows_of(const Matrix& matrix, std::span<const std::size_t> indices) {
  Matrix taken(indices.size(), matrix.width);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    BRAID_CHECK(indices[i] < matrix.row_count);
    const auto from = matrix.row(indices[i]);
    std::copy(from.begin(), from.end(), taken.row(i).begin());
  }
  return taken;
}

}  // namespace braid
