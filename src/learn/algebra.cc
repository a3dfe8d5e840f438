#include "learn/algebra.h"

#include <cmath>

#include <Eigen/Dense>

namespace braid {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

Eigen::Map<const RowMajor> view(std::span<const double> values, std::size_t rows,
                                std::size_t columns) {
  BRAID_CHECK(values.size() == rows * columns);
  return {values.data(), static_cast<Index>(rows), static_cast<Index>(columns)};
}

Eigen::Map<RowMajor> view(std::span<double> values, std::size_t rows, std::size_t columns) {
  BRAID_CHECK(values.size() == rows * columns);
  return {values.data(), static_cast<Index>(rows), static_cast<Index>(columns)};
}

/// Eigenvectors of a symmetric matrix, those of the largest eigenvalues first.
RowMajor leading_eigenvectors(const RowMajor& symmetric, Index count) {
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(symmetric);
  BRAID_CHECK(solver.info() == Eigen::Success);
  return solver.eigenvectors().rightCols(count).rowwise().reverse();
}

}  // namespace

void multiply(const Matrix& left, std::span<const double> right, std::span<double> out) {
  const std::size_t columns = right.size() / left.width;
  view(out, left.row_count, columns).noalias() =
      view(left.values, left.row_count, left.width) * view(right, left.width, columns);
}

void multiply_transposed(const Matrix& left, std::span<const double> right, std::span<double> out) {
  const std::size_t columns = right.size() / left.row_count;
  view(out, left.width, columns).noalias() =
      view(left.values, left.row_count, left.width).transpose() *
      view(right, left.row_count, columns);
}

Matrix principal_directions(const Matrix& rows, std::size_t count) {
  BRAID_CHECK(count <= std::min(rows.row_count, rows.width));
  const auto data = view(std::span<const double>(rows.values), rows.row_count, rows.width);
  const auto wanted = static_cast<Index>(count);
  Matrix directions(rows.width, count);
  auto out = view(std::span<double>(directions.values), rows.width, count);
  if (rows.row_count >= rows.width) {
    out = leading_eigenvectors(data.transpose() * data, wanted);
    return directions;
  }
  // Fewer rows than columns: the small Gram matrix has the same spectrum, and its eigenvectors,
  // mapped through the data, are the directions up to their length.
  out.noalias() = data.transpose() * leading_eigenvectors(data * data.transpose(), wanted);
  for (Index column = 0; column < wanted; ++column) {
    const double length = out.col(column).norm();
    out.col(column) /= length > 0 ? length : 1;
  }
  return directions;
}

}  // namespace braid
