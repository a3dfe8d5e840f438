#pragma once
// Scores: how good the answers of a classifier are. Those with "per case" give one number a case,
// so that a bootstrap can resample them; their mean is the score.
// All want at least one answer, each with the same number of classes, at least two.

#include <vector>

#include "measure/answer.h"

namespace braid {

/// 1 where the most probable class is the right one, else 0.
std::vector<double> correct_per_case(Answers answers);

/// Negative log-likelihood in nats: -log p(truth). Probabilities are kept at least 2^-23 (the
/// smallest step of a float at 1, which scikit-learn's log_loss uses too), so that one certain
/// mistake costs 15.9 nats and not infinity.
std::vector<double> nll_per_case(Answers answers);

/// Brier score of several classes (Brier 1950): squared distance between the probabilities and the
/// truth, in [0, 2].
std::vector<double> brier_per_case(Answers answers);

double accuracy(Answers answers);

/// Mean over classes of 2·TP ÷ (2·TP + FP + FN); classes that are neither true nor answered
/// anywhere are left out.
double macro_f1(Answers answers);

/// Probability that a right answer is more confident than a wrong one, ties counting half (Mann and
/// Whitney 1947). 0.5 when all are right or all are wrong: confidence then ranks nothing.
double confidence_auroc(Answers answers);

double mean(std::span<const double> values);

/// As NumPy: linear between neighbours; `share` in [0, 1]. `values` is not empty.
double quantile(std::vector<double> values, double share);

}  // namespace braid
