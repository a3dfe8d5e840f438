#pragma once
// SparseMatrix: rows that are nearly all zeros, such as n-grams of texts: 8 bytes a number that is
// none, 8 bytes a row. Threads: a value like any other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace braid {

class SparseMatrix {
 public:
  explicit SparseMatrix(std::size_t width) : width_(width) { BRAID_CHECK(width <= UINT32_MAX); }

  /// The numbers of a dense row that are not 0; `row` has as many as the matrix is wide.
  void add_row(std::span<const float> row) {
    BRAID_CHECK(row.size() == width_);
    for (std::uint32_t column = 0; column < row.size(); ++column) {
      if (row[column] != 0) {
        columns_.push_back(column);
        values_.push_back(row[column]);
      }
    }
    ends_.push_back(values_.size());
  }

  std::size_t row_count() const { return ends_.size(); }
  std::size_t width() const { return width_; }
  std::size_t cell_count() const { return values_.size(); }
  std::size_t size_bytes() const {
    return cell_count() * (sizeof(float) + sizeof(std::uint32_t)) +
           row_count() * sizeof(std::size_t);
  }

  std::span<const std::uint32_t> columns(std::size_t row) const {
    return std::span(columns_).subspan(begin(row), ends_[row] - begin(row));
  }
  std::span<const float> values(std::size_t row) const {
    return std::span(values_).subspan(begin(row), ends_[row] - begin(row));
  }

 private:
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends_[row - 1]; }

  std::size_t width_;
  std::vector<std::size_t> ends_;  // of each row in the two below
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

}  // namespace braid
