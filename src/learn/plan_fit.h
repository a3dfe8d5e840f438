#pragma once
// The plans of a pipeline, with what each is known to do: how often it is right, out of fold, and
// what it costs, as measured when the rows were embedded.
// Threads: pure.

#include <cstddef>
#include <string>
#include <vector>

#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fusion_fit.h"

namespace braid {

struct PlanOutcome {
  std::string name;
  Pattern pattern;
  std::vector<double> confidence;  // [n]; calibrated
  std::vector<double> correct;     // [n]; 0 or 1
  /// [n]; the probability that the last plan, which knows most, gives to this plan's label: how
  /// often this plan is right, told with less noise than right and wrong tell it.
  std::vector<double> worth = {};
  double accuracy = 0;  // these two: means by the rows' weights
  double nll = 0;
  double cost_core_ms = 0;  // mean over rows
};

/// Core-milliseconds of one row, of running `next` when `before` has run: a variant is paid once,
/// and nothing is paid for a branch whose input the row lacks.
double cost_in_row(const Pattern& next, const Pattern& before, const EmbeddedRows& embedded,
                   std::size_t row_index);

/// The plans that FIT.yaml names, in its order. Where it names none: every pattern, "full" (the
/// first variant of every branch) last, the others named after their branches and, where it is not
/// the first, their variant; of these at most 12 from cheap to full that no other beats in both
/// cost and log loss.
std::vector<PlanOutcome> plan_outcomes(const FitSetup& setup, const FitData& data,
                                       const EmbeddedRows& embedded, const FusionFit& fusion);

}  // namespace braid
