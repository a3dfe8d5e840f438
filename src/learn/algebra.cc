#include "learn/algebra.h"

#include <algorithm>
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

/// Eigenvectors of a symmetric matrix, those of the largest eigenvalues first. The matrix is n
/// times the covariance, or the Gram matrix with the same eigenvalues but for zeros.
RowMajor leading_eigenvectors(const RowMajor& symmetric, Index count, double n,
                              PrincipalAxes& axes) {
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(symmetric);
  BRAID_CHECK(solver.info() == Eigen::Success);
  const Index size = symmetric.rows();
  for (Index i = 0; i < count; ++i) {
    axes.variances.push_back(std::max(solver.eigenvalues()(size - 1 - i) / n, 0.0));
  }
  axes.variance_sum = symmetric.trace() / n;
  axes.squares_sum = symmetric.squaredNorm() / (n * n);
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
  return principal_axes(rows, count).directions;
}

PrincipalAxes principal_axes(const Matrix& rows, std::size_t count) {
  BRAID_CHECK(count <= std::min(rows.row_count, rows.width));
  const auto data = view(std::span<const double>(rows.values), rows.row_count, rows.width);
  const auto wanted = static_cast<Index>(count);
  const auto n = static_cast<double>(rows.row_count);
  PrincipalAxes axes;
  axes.directions = Matrix(rows.width, count);
  auto out = view(std::span<double>(axes.directions.values), rows.width, count);
  if (rows.row_count >= rows.width) {
    out = leading_eigenvectors(data.transpose() * data, wanted, n, axes);
    return axes;
  }
  // Fewer rows than columns: the small Gram matrix has the same spectrum, and its eigenvectors,
  // mapped through the data, are the directions up to their length.
  out.noalias() = data.transpose() * leading_eigenvectors(data * data.transpose(), wanted, n, axes);
  for (Index column = 0; column < wanted; ++column) {
    const double length = out.col(column).norm();
    out.col(column) /= length > 0 ? length : 1;
  }
  return axes;
}

}  // namespace braid
