#pragma once
// Temperature scaling (Guo et al. 2017, section 4.2): the one T that makes softmax(log p ÷ T) most
// likely on rows that the scores were not fitted on.
// Threads: pure.

#include <cstddef>
#include <span>

#include "learn/matrix.h"

namespace braid {

/// `scores` are logits or log-probabilities [n ≥ 1, classes]; `labels` and `weights` have length n.
/// Within [0.05, 20]: on rows that are all right the best T would be 0, which nobody should
/// believe.
double fit_temperature(const Matrix& scores, std::span<const std::size_t> labels,
                       std::span<const double> weights);

/// Rows of scores to log-probabilities at that temperature, in place.
void log_softmax(Matrix& scores, double temperature = 1);

/// Weighted mean of -log p(label) in nats.
double mean_nll(const Matrix& log_probabilities, std::span<const std::size_t> labels,
                std::span<const double> weights);

/// Weighted share of rows whose largest score is their label's.
double accuracy_of(const Matrix& scores, std::span<const std::size_t> labels,
                   std::span<const double> weights);

}  // namespace braid
