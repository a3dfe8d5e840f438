#include "learn/cascade_search.h"

#include <algorithm>
#include <optional>

namespace braid {
namespace {

constexpr std::size_t kStepsMax = 3;
constexpr std::size_t kCuts = 25;       // thresholds that are tried at each step
constexpr std::size_t kRowsMax = 4000;  // more rows would not move a threshold, only cost time

/// Sums over the rows that the steps so far answer, weighted.
struct Sums {
  double worth = 0;
  double cost = 0;
};

/// Whether `later` says at least what `earlier` says: more branches, or earlier variants, which are
/// the better ones.
bool extends(const Pattern& later, const Pattern& earlier) {
  for (std::size_t b = 0; b < later.size(); ++b) {
    if (earlier[b].has_value() && (!later[b].has_value() || *later[b] > *earlier[b])) {
      return false;
    }
  }
  return later != earlier;
}

class Search {
 public:
  Search(const PlanRows& all, std::vector<std::size_t> rows, double tolerance)
      : plans_(all.plans), embedded_(all.embedded), weights_(all.weights), rows_(std::move(rows)) {
    for (const std::size_t i : rows_) {
      total_ += weights_[i];
      worth_min_ += weights_[i] * plans_.back().worth[i];
    }
    worth_min_ -= (tolerance + 1e-12) * total_;
  }

  CascadeSteps run() {
    for (std::size_t first = 0; first < plans_.size(); ++first) {
      CascadeSteps begun;
      begun.plans = {first};
      extend(begun, rows_, {});
    }
    return best_.value_or(CascadeSteps{{plans_.size() - 1}, {}});
  }

 private:
  /// `left` are the rows that the last step of `begun` runs for; the sums are of those before it.
  void extend(const CascadeSteps& begun, std::vector<std::size_t> left, Sums sums) {
    const PlanOutcome& plan = plans_[begun.plans.back()];
    const Pattern before = begun.plans.size() > 1
                               ? plans_[begun.plans[begun.plans.size() - 2]].pattern
                               : Pattern(plan.pattern.size());
    for (const std::size_t i : left) {
      sums.cost += weights_[i] * cost_in_row(plan.pattern, before, embedded_, i);
    }
    if (begun.plans.size() < kStepsMax) {
      std::ranges::stable_sort(left, std::ranges::greater(),
                               [&](std::size_t i) { return plan.confidence[i]; });
    }
    std::size_t stopped = 0;
    for (std::size_t cut = 1; cut <= kCuts; ++cut) {
      for (; stopped < left.size() * cut / kCuts; ++stopped) {
        const std::size_t i = left[stopped];
        sums.worth += weights_[i] * plan.worth[i];
      }
      if (cut < kCuts && stopped > 0 && stopped < left.size()) {
        go_on(begun, left, stopped, sums);
      }
    }
    finish(begun, sums);
  }

  void go_on(const CascadeSteps& begun, const std::vector<std::size_t>& left, std::size_t stopped,
             const Sums& sums) {
    const PlanOutcome& plan = plans_[begun.plans.back()];
    const double last = plan.confidence[left[stopped - 1]];
    const double next = plan.confidence[left[stopped]];
    if (begun.plans.size() == kStepsMax || last == next || !may_be_best(sums)) {
      return;
    }
    for (std::size_t later = 0; later < plans_.size(); ++later) {
      if (extends(plans_[later].pattern, plan.pattern)) {
        CascadeSteps longer = begun;
        longer.plans.push_back(later);
        longer.answer_above.push_back((last + next) / 2);
        extend(longer, {left.begin() + static_cast<std::ptrdiff_t>(stopped), left.end()}, sums);
      }
    }
  }

  /// Cheap enough so far: cost only grows.
  bool may_be_best(const Sums& sums) const { return !best_.has_value() || sums.cost < best_cost_; }

  /// The last step answers all that is left.
  void finish(const CascadeSteps& begun, const Sums& sums) {
    if (sums.worth >= worth_min_ && may_be_best(sums)) {
      best_ = begun;
      best_cost_ = sums.cost;
    }
  }

  const std::vector<PlanOutcome>& plans_;
  const EmbeddedRows& embedded_;
  std::span<const double> weights_;
  const std::vector<std::size_t> rows_;
  double total_ = 0;
  double worth_min_ = 0;
  std::optional<CascadeSteps> best_;
  double best_cost_ = 0;
};

/// Rows and what they cost, answered step by step.
template <typename Visit>
void walk(const PlanRows& all, std::span<const std::size_t> rows, const CascadeSteps& steps,
          Visit visit) {
  for (const std::size_t i : rows) {
    double cost = 0;
    Pattern before(all.plans.front().pattern.size());
    for (std::size_t s = 0; s < steps.plans.size(); ++s) {
      const PlanOutcome& plan = all.plans[steps.plans[s]];
      cost += cost_in_row(plan.pattern, before, all.embedded, i);
      before = plan.pattern;
      const bool is_last = s == steps.answer_above.size();
      if (is_last || plan.confidence[i] > steps.answer_above[s]) {
        visit(i, s, cost);
        break;
      }
    }
  }
}

}  // namespace

CascadeSteps cheapest_cascade(const PlanRows& all, std::span<const std::size_t> rows,
                              double tolerance) {
  const std::size_t stride = rows.size() / kRowsMax + 1;
  std::vector<std::size_t> sampled;
  for (std::size_t i = 0; i < rows.size(); i += stride) {
    sampled.push_back(rows[i]);
  }
  return Search(all, std::move(sampled), tolerance).run();
}

void hold_back(const PlanRows& all, std::span<const std::size_t> rows, double share,
               CascadeSteps& steps) {
  std::vector<std::vector<double>> stopped(steps.answer_above.size());
  walk(all, rows, steps, [&](std::size_t i, std::size_t s, double) {
    if (s < stopped.size()) {
      stopped[s].push_back(all.plans[steps.plans[s]].confidence[i]);
    }
  });
  for (std::size_t s = 0; s < stopped.size(); ++s) {
    const auto count = static_cast<std::size_t>(share * static_cast<double>(stopped[s].size()));
    if (count > 0) {
      std::ranges::nth_element(stopped[s], stopped[s].begin() + static_cast<std::ptrdiff_t>(count));
      steps.answer_above[s] = stopped[s][count];
    }
  }
}

CascadeOutcome outcome_of(const PlanRows& all, std::span<const std::size_t> rows,
                          const CascadeSteps& steps) {
  CascadeOutcome outcome;
  outcome.answered.resize(steps.plans.size());
  outcome.row_count = rows.size();
  const PlanOutcome& full = all.plans.back();
  walk(all, rows, steps, [&](std::size_t i, std::size_t s, double cost) {
    const double weight = all.weights[i];
    const double right = all.plans[steps.plans[s]].correct[i];
    outcome.weight += weight;
    outcome.answered[s] += weight;
    outcome.right += weight * right;
    outcome.gained += weight * std::max(right - full.correct[i], 0.0);
    outcome.lost += weight * std::max(full.correct[i] - right, 0.0);
    outcome.cost += weight * cost;
  });
  return outcome;
}

}  // namespace braid
