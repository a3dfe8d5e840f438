#pragma once
// Vote weights: those of the log-linear pool that fusion's `weighted_vote` computes,
//   log p = Σ_m a_m w_m log p_m [− (Σ_m a_m w_m − 1) log prior]   (renormalised),
// by maximum likelihood on out-of-fold log-probabilities. w = exp(t), so none is negative; t is
// drawn towards log ½, since members that saw the same rows say partly the same.
// Threads: pure.

#include <cstddef>
#include <span>
#include <vector>

#include "learn/matrix.h"

namespace braid {

/// What one member said of every row, out of fold.
struct Member {
  Matrix log_probabilities;   // [n, classes]
  std::vector<bool> present;  // [n]; what an absent row holds does not matter
};

/// One weight a member. An empty `prior` leaves its correction out. A member that is present
/// nowhere keeps the weight that all begin with.
std::vector<double> fit_vote(std::span<const Member> members, std::span<const double> prior,
                             std::span<const std::size_t> labels, std::span<const double> weights);

}  // namespace braid
