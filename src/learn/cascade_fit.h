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
  double accuracy = 0;               // out of fold, as are these four
  double cost_core_ms = 0;
  double full_accuracy = 0;
  double full_cost_core_ms = 0;

  double saving() const { return full_cost_core_ms > 0 ? 1 - cost_core_ms / full_cost_core_ms : 0; }
};

/// What a cascade may lose against the last plan, out of fold.
struct CascadeBounds {
  double tolerance = 0.001;  // in PlanOutcome::worth: what is expected of its accuracy
  double margin = 0.01;      // in the lower end of the 95 % interval of its accuracy, case by case,
                             // where no gain makes up for a loss
};

/// The cheapest of all sequences of at most three plans, each adding branches to the one before or
/// taking better variants, that keep within the bounds. The last plan alone when less than 5 %
/// would be saved. docs/decisions/0062-cascade.md says why rows are counted by worth.
CascadeChoice choose_cascade(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
                             std::span<const double> weights, const CascadeBounds& bounds);

}  // namespace braid
