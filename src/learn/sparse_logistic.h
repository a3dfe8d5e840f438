#pragma once
// Multinomial logistic regression on sparse rows: minimises what logistic.h minimises, on one block
// of columns as they are, and never makes a dense matrix of rows. Takes about fifteen times
// width · classes doubles while it searches. Threads: pure.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "learn/matrix.h"
#include "learn/sparse.h"

namespace braid {

struct SparseLogisticData {
  const SparseMatrix& rows;
  std::span<const std::size_t> chosen;  // rows to fit on
  std::span<const std::size_t> labels;  // of all rows, each below class_count
  std::span<const double> weights;      // of all rows, above 0
  std::size_t class_count = 0;
};

struct SparseLogisticOptions {
  double strength = 20;        // C: the larger, the weaker the regularisation
  double gradient_max = 1e-5;  // of the mean loss; a rare column's gradient is small from the start
  std::size_t iterations_max = 300;
};

struct SparseLogistic {
  Matrix weights;            // [width, classes]
  std::vector<double> bias;  // [classes]
  bool converged = false;

  /// Of one row of `rows`; `into` has a number a class.
  void logits(const SparseMatrix& rows, std::size_t row, std::span<double> into) const;
};

/// A class that no chosen row has gets no weight and a probability of about 1e-5 at most.
SparseLogistic fit_sparse_logistic(const SparseLogisticData& data,
                                   const SparseLogisticOptions& options);

}  // namespace braid
