#pragma once
// Cascades over a pipeline's plans: the cheapest one by rows that are known, a more careful one,
// and what one does on other rows. Threads: pure.

#include <cstddef>
#include <span>
#include <vector>

#include "learn/plan_fit.h"

namespace braid {

/// Every plan on every row, out of fold. The last plan is the one to compare with.
struct PlanRows {
  const std::vector<PlanOutcome>& plans;
  const EmbeddedRows& embedded;
  std::span<const double> weights;
};

struct CascadeSteps {
  std::vector<std::size_t> plans;    // at least one
  std::vector<double> answer_above;  // one for each plan but the last
};

/// The cheapest of all sequences of at most three plans, each adding branches to the one before or
/// taking better variants, that loses at most `tolerance` in PlanOutcome::worth against the last
/// plan. That one alone when nothing is cheaper.
CascadeSteps cheapest_cascade(const PlanRows& all, std::span<const std::size_t> rows,
                              double tolerance);

/// Raises every threshold until `share` of the rows that a step answers go on instead.
void hold_back(const PlanRows& all, std::span<const std::size_t> rows, double share,
               CascadeSteps& steps);

/// Sums by weight.
struct CascadeOutcome {
  std::size_t row_count = 0;
  double weight = 0;
  double right = 0;
  double gained = 0;                  // right where the last plan is wrong
  double lost = 0;                    // the other way round
  double cost = 0;                    // core-ms
  std::vector<double> answered = {};  // by step
};

CascadeOutcome outcome_of(const PlanRows& all, std::span<const std::size_t> rows,
                          const CascadeSteps& steps);

}  // namespace braid
