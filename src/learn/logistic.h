#pragma once
// Multinomial logistic regression with L2 regularisation over several blocks of columns, any of
// which may be blanked: minimises  C · Σ wᵢ · −log p(yᵢ | xᵢ) + ½‖W‖²  over weights and an
// intercept that is not regularised, as scikit-learn does for three or more classes. (For two it
// keeps one weight a column where we keep two, so its C counts half.)
//
// Modality dropout: a *copy* of every row with some blocks blanked and a weight of its own.
// Blanking is done on the blocks' scores, not on their columns, so copies cost next to nothing.
// Threads: pure.

#include <cstddef>
#include <span>
#include <vector>

#include "learn/matrix.h"

namespace braid {

struct LogisticCopy {
  std::vector<bool> kept;  // for each block whether this copy sees it
  double weight = 1;       // times the row's own
};

struct LogisticData {
  std::vector<const Matrix*> blocks;    // each [n, width of the block]; zeros where a row has none
  std::span<const std::size_t> labels;  // [n], each below class_count
  std::span<const double> weights;      // [n], above 0
  std::size_t class_count = 0;
};

struct LogisticOptions {
  double strength = 20;                   // C: the larger, the weaker the regularisation
  std::vector<LogisticCopy> copies = {};  // none: one that keeps all blocks
  double gradient_max = 1e-4;  // of the mean loss; below it probabilities move in the 3rd digit
  std::size_t iterations_max = 500;
};

struct Logistic {
  std::vector<Matrix> weights;  // for each block [width, classes]
  std::vector<double> bias;     // [classes]
  std::size_t iterations = 0;
  bool converged = false;
};

/// A class that no row has gets no weight and a probability of about 1e-5 at most.
Logistic fit_logistic(const LogisticData& data, const LogisticOptions& options);

}  // namespace braid
