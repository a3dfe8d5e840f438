#include "learn/block.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/algebra.h"

namespace braid {
namespace {

double squared_length(std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

}  // namespace

BlockTransform BlockTransform::fit(const Matrix& rows, std::size_t components) {
  BRAID_CHECK(rows.row_count > 0);
  BlockTransform block;
  block.means_.resize(rows.width);
  block.factors_.resize(rows.width);
  const auto n = static_cast<double>(rows.row_count);
  for (std::size_t column = 0; column < rows.width; ++column) {
    double sum = 0;
    double seen = 0;
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const double value = rows.at(i, column);
      sum += std::isnan(value) ? 0 : value;
      seen += std::isnan(value) ? 0 : 1;
    }
    const double mean = seen > 0 ? sum / seen : 0;
    double squares = 0;
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const double away = rows.at(i, column) - mean;
      squares += std::isnan(away) ? 0 : away * away;
    }
    const double deviation = std::sqrt(squares / n);
    block.means_[column] = mean;
    // Rounding alone gives a constant column a deviation near 1e-16 times its value.
    const bool constant = deviation <= 1e-9 * std::max(1.0, std::abs(mean));
    block.factors_[column] = constant ? 1 : 1 / deviation;
  }
  Matrix scaled = block.standardise(rows);
  if (components > 0 && components < std::min(rows.row_count, rows.width)) {
    block.directions_ = principal_directions(scaled, components);
    Matrix projected(rows.row_count, components);
    multiply(scaled, block.directions_.values, projected.values);
    scaled = std::move(projected);
  }
  const double mean_square = squared_length(scaled.values) / n;
  block.scale_ = mean_square > 0 ? 1 / std::sqrt(mean_square) : 1;
  return block;
}

Matrix BlockTransform::standardise(const Matrix& rows) const {
  BRAID_CHECK(rows.width == means_.size());
  Matrix scaled(rows.row_count, rows.width);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    for (std::size_t column = 0; column < rows.width; ++column) {
      const double value = (rows.at(i, column) - means_[column]) * factors_[column];
      scaled.at(i, column) = std::isnan(value) ? 0 : value;
    }
  }
  return scaled;
}

Matrix BlockTransform::apply(const Matrix& rows) const {
  Matrix scaled = standardise(rows);
  if (directions_.width > 0) {
    Matrix projected(rows.row_count, directions_.width);
    multiply(scaled, directions_.values, projected.values);
    scaled = std::move(projected);
  }
  for (double& value : scaled.values) {
    value *= scale_;
  }
  return scaled;
}

Matrix BlockTransform::fold(const Matrix& weights) const {
  Matrix folded(means_.size(), weights.width);
  if (directions_.width > 0) {
    multiply(directions_, weights.values, folded.values);
  } else {
    folded = weights;
  }
  for (std::size_t column = 0; column < means_.size(); ++column) {
    for (double& weight : folded.row(column)) {
      weight *= scale_ * factors_[column];
    }
  }
  return folded;
}

}  // namespace braid
