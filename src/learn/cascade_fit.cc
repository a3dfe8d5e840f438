#include "learn/cascade_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/cascade_search.h"

namespace braid {
namespace {

constexpr double kWorthwhile = 0.05;  // of the cost must be saved

struct Care {
  double tolerance;  // as a share of the bounds'
  double held_back;  // share of the rows that a step would answer
};

// From bold to careful: what seems cheapest on the rows at hand is in part luck, so less is
// answered early than these rows allow.
constexpr Care kCares[] = {{1, 0},     {0.5, 0},    {0.2, 0},   {0.2, 0.15},
                           {0.2, 0.3}, {0.2, 0.45}, {0.2, 0.6}, {0.2, 0.8}};

CascadeSteps choose(const PlanRows& all, std::span<const std::size_t> rows, const Care& care,
                    double tolerance) {
  CascadeSteps steps = cheapest_cascade(all, rows, care.tolerance * tolerance);
  hold_back(all, rows, care.held_back, steps);
  return steps;
}

void add(const CascadeOutcome& part, CascadeOutcome& sum) {
  sum.row_count += part.row_count;
  sum.weight += part.weight;
  sum.right += part.right;
  sum.gained += part.gained;
  sum.lost += part.lost;
  sum.cost += part.cost;
}

/// What the procedure does on rows that it has not seen.
CascadeOutcome tried(const PlanRows& all, std::span<const std::size_t> folds, const Care& care,
                     double tolerance) {
  CascadeOutcome sum;
  for (std::size_t fold = 0; fold <= std::ranges::max(folds); ++fold) {
    std::vector<std::size_t> inside;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      (folds[i] == fold ? inside : others).push_back(i);
    }
    if (!inside.empty() && !others.empty()) {
      add(outcome_of(all, inside, choose(all, others, care, tolerance)), sum);
    }
  }
  return sum;
}

/// The lower end of the 95 % interval of the difference in accuracy, case by case.
double lower_end(const CascadeOutcome& outcome) {
  const double difference = (outcome.gained - outcome.lost) / outcome.weight;
  const double discord = (outcome.gained + outcome.lost) / outcome.weight;
  const double variance = discord - difference * difference;
  return difference - 1.96 * std::sqrt(variance / static_cast<double>(outcome.row_count));
}

}  // namespace

CascadeChoice choose_cascade(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
                             std::span<const double> weights, std::span<const std::size_t> folds,
                             const CascadeBounds& bounds) {
  const PlanRows all{plans, embedded, weights};
  std::vector<std::size_t> rows(weights.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const PlanOutcome& full = plans.back();
  CascadeChoice choice{{plans.size() - 1}, {}, {1}, full.accuracy, full.cost_core_ms, full.accuracy,
                       full.cost_core_ms};
  for (const Care& care : kCares) {
    const CascadeOutcome expected = tried(all, folds, care, bounds.tolerance);
    const double cost = expected.cost / expected.weight;
    if (lower_end(expected) < -bounds.margin || cost > (1 - kWorthwhile) * full.cost_core_ms) {
      continue;
    }
    const CascadeSteps steps = choose(all, rows, care, bounds.tolerance);
    choice.steps = steps.plans;
    choice.answer_above = steps.answer_above;
    choice.answered = outcome_of(all, rows, steps).answered;
    for (double& share : choice.answered) {
      share /= expected.weight;
    }
    choice.accuracy = expected.right / expected.weight;
    choice.cost_core_ms = cost;
    break;
  }
  return choice;
}

}  // namespace braid
