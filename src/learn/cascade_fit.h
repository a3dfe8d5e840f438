#pragma once
// The cascade over a pipeline's plans: which to begin with and how sure an answer must be to stop
// there, chosen to spend least where accuracy stays.
// Threads: pure.

#include <cstddef>
#include <span>
#include <vector>

#include "learn/plan_fit.h"

namespace braid {

struct CascadeChoice {
  std::vector<std::size_t> steps;    // into the plans; at least one
  std::vector<double> answer_above;  // one for each step but the last
  std::vector<double> answered;      // share of rows that each step answers
  double accuracy = 0;               // these four by rows that the thresholds were not chosen on
  double cost_core_ms = 0;
  double full_accuracy = 0;
  double full_cost_core_ms = 0;

  double saving() const { return full_cost_core_ms > 0 ? 1 - cost_core_ms / full_cost_core_ms : 0; }
};

/// What a cascade may lose against the last plan.
struct CascadeBounds {
  double tolerance = 0.002;  // in PlanOutcome::worth, on the rows that it is chosen on
  double margin = 0.01;      // at the lower end of the 95 % interval of its accuracy, on others
};

/// The cheapest cascade within the tolerance, made more careful step by step until, chosen without
/// a fold and tried on it, fold by fold, it keeps within the margin. The last plan alone when none
/// does, or when less than 5 % would be saved. `folds`: one of each row, group-safe.
/// Why so: docs/decisions/0062-cascade.md.
CascadeChoice choose_cascade(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
                             std::span<const double> weights, std::span<const std::size_t> folds,
                             const CascadeBounds& bounds);

}  // namespace braid
