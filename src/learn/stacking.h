#pragma once
// Stacking (Wolpert 1992): a linear model on members' log-probabilities, as fusion's `stacking`
// computes it: softmax(W [a_m log p_m ; a] + b). Fitted from scratch it is unstable on few rows, so
// it is drawn hard towards the log-linear pool with fitted vote weights, and learns only how to
// depart from it.
// Threads: pure.

#include <span>
#include <vector>

#include "learn/matrix.h"
#include "learn/vote.h"

namespace braid {

struct StackingFit {
  Matrix weight;             // [classes, members · classes + members]
  std::vector<double> bias;  // [classes]
};

/// `pull` weighs ½‖W − W_vote‖² against the mean loss in nats.
StackingFit fit_stacking(std::span<const Member> members, std::span<const std::size_t> labels,
                         std::span<const double> weights, double pull = 0.05);

}  // namespace braid
