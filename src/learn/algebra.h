#pragma once
// Products and eigenvectors of matrices. Eigen is named in algebra.cc and nowhere else.
// Threads: pure functions, each on the calling thread alone, so results do not depend on a number
// of threads.

#include <span>
#include <vector>

#include "learn/matrix.h"

namespace braid {

/// left · right, where `right` is [left.width, columns] row-major; into `out` [left.row_count,
/// columns].
void multiply(const Matrix& left, std::span<const double> right, std::span<double> out);

/// leftᵀ · right, where `right` is [left.row_count, columns]; into `out` [left.width, columns].
void multiply_transposed(const Matrix& left, std::span<const double> right, std::span<double> out);

/// What is known of the covariance rowsᵀ · rows ÷ n of rows whose columns have mean 0.
struct PrincipalAxes {
  Matrix directions;              // as principal_directions() gives them
  std::vector<double> variances;  // [count] along them
  double variance_sum = 0;        // of all eigenvalues
  double squares_sum = 0;         // of their squares
};
PrincipalAxes principal_axes(const Matrix& rows, std::size_t count);

/// The `count` directions of greatest variance of rows whose columns have mean 0, as columns of a
/// [width, count] matrix of orthonormal columns, greatest first. count ≤ min(row_count, width).
Matrix principal_directions(const Matrix& rows, std::size_t count);

}  // namespace braid
