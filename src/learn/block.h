#pragma once
// BlockTransform: brings the columns of one embedding into the form in which one strength of
// regularisation suits all: mean 0 and deviation 1, optionally the leading principal components
// only, then rows of mean length 1. It is affine, so it folds into the head that is fitted on it
// and costs nothing when serving. Threads: a value; constant after fit().

#include <cstddef>
#include <span>
#include <vector>

#include "learn/matrix.h"

namespace braid {

class BlockTransform {
 public:
  /// From rows [n ≥ 1, width]. NaN cells are left out of their column's mean and count as it.
  /// `components` of 0, or at least min(n, width), keeps every direction.
  static BlockTransform fit(const Matrix& rows, std::size_t components);

  /// [n, width] to [n, width of the transformed]; NaN becomes the column's mean.
  Matrix apply(const Matrix& rows) const;

  /// Weights [transformed width, classes] as weights on the raw columns [width, classes].
  Matrix fold(const Matrix& weights) const;

  /// What NaN is replaced by: the mean of each raw column; 0 where every cell is NaN.
  const std::vector<double>& means() const { return means_; }

  /// What each raw column is multiplied with; the principal components come after.
  double factor(std::size_t column) const { return factors_[column] * scale_; }

 private:
  Matrix standardise(const Matrix& rows) const;

  std::vector<double> means_;
  std::vector<double> factors_;  // 1 ÷ standard deviation; 1 for a column that never changes
  Matrix directions_;            // [width, components]; empty when all are kept
  double scale_ = 1;             // 1 ÷ root of the mean squared length
};

}  // namespace braid
