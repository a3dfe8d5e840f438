#include "learn/cascade_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace braid {
namespace {

constexpr std::size_t kStepsMax = 3;
constexpr std::size_t kCuts = 25;       // thresholds that are tried at each step
constexpr std::size_t kRowsMax = 4000;  // more rows would not move a threshold, only cost time
constexpr double kWorthwhile = 0.05;

/// Sums over the rows that the steps so far answer, weighted.
struct Sums {
  double weight = 0;  // of the last step alone
  double worth = 0;
  double right = 0;
  double gained = 0;  // rows on which this answer is right and the full plan's is wrong
  double lost = 0;    // the other way round
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
  Search(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
         std::span<const double> weights, const CascadeBounds& bounds)
      : plans_(plans), embedded_(embedded), weights_(weights), bounds_(bounds) {
    const std::size_t stride = weights.size() / kRowsMax + 1;
    for (std::size_t i = 0; i < weights.size(); i += stride) {
      rows_.push_back(i);
      total_ += weights_[i];
      full_.worth += weights_[i] * plans.back().worth[i];
    }
  }

  CascadeChoice run() {
    for (std::size_t first = 0; first < plans_.size(); ++first) {
      CascadeChoice begun;
      begun.steps = {first};
      extend(begun, rows_, {});
    }
    const PlanOutcome& full = plans_.back();
    CascadeChoice alone{
        {plans_.size() - 1}, {}, {1}, full.accuracy, full.cost_core_ms, full.accuracy,
        full.cost_core_ms};
    if (!best_.has_value() || best_->cost_core_ms > (1 - kWorthwhile) * full.cost_core_ms) {
      return alone;
    }
    best_->full_accuracy = full.accuracy;
    best_->full_cost_core_ms = full.cost_core_ms;
    return *best_;
  }

 private:
  /// `left` are the rows that the last step of `begun` runs for; the sums are of those before it.
  void extend(const CascadeChoice& begun, std::vector<std::size_t> left, Sums sums) {
    const PlanOutcome& plan = plans_[begun.steps.back()];
    const PlanOutcome& full = plans_.back();
    const Pattern before = begun.steps.size() > 1
                               ? plans_[begun.steps[begun.steps.size() - 2]].pattern
                               : Pattern(plan.pattern.size());
    for (const std::size_t i : left) {
      sums.cost += weights_[i] * cost_in_row(plan.pattern, before, embedded_, i);
    }
    if (begun.steps.size() < kStepsMax) {
      std::ranges::stable_sort(left, std::ranges::greater(),
                               [&](std::size_t i) { return plan.confidence[i]; });
    }
    std::size_t stopped = 0;
    sums.weight = 0;
    for (std::size_t cut = 1; cut <= kCuts; ++cut) {
      for (; stopped < left.size() * cut / kCuts; ++stopped) {
        const std::size_t i = left[stopped];
        sums.worth += weights_[i] * plan.worth[i];
        sums.right += weights_[i] * plan.correct[i];
        sums.gained += weights_[i] * std::max(plan.correct[i] - full.correct[i], 0.0);
        sums.lost += weights_[i] * std::max(full.correct[i] - plan.correct[i], 0.0);
        sums.weight += weights_[i];
      }
      if (cut < kCuts && stopped > 0 && stopped < left.size()) {
        go_on(begun, left, stopped, sums);
      }
    }
    finish(begun, sums);
  }

  void go_on(const CascadeChoice& begun, const std::vector<std::size_t>& left, std::size_t stopped,
             const Sums& sums) {
    const PlanOutcome& plan = plans_[begun.steps.back()];
    const double last = plan.confidence[left[stopped - 1]];
    const double next = plan.confidence[left[stopped]];
    if (begun.steps.size() == kStepsMax || last == next || !may_be_best(sums)) {
      return;
    }
    for (std::size_t later = 0; later < plans_.size(); ++later) {
      if (extends(plans_[later].pattern, plan.pattern)) {
        CascadeChoice longer = begun;
        longer.steps.push_back(later);
        longer.answer_above.push_back((last + next) / 2);
        longer.answered.push_back(sums.weight / total_);
        extend(longer, {left.begin() + static_cast<std::ptrdiff_t>(stopped), left.end()}, sums);
      }
    }
  }

  /// Cheap enough so far, and not yet too far from the full plan's answers: both only grow.
  bool may_be_best(const Sums& sums) const {
    return lower_end(sums) >= -bounds_.margin &&
           (!best_.has_value() || sums.cost / total_ < best_->cost_core_ms);
  }

  /// The lower end of the 95 % interval of the difference in accuracy, case by case, where a gain
  /// widens the interval and makes up for no loss: of many sequences one gains by luck.
  double lower_end(const Sums& sums) const {
    const double rows = static_cast<double>(rows_.size());
    const double discord = (sums.gained + sums.lost) / total_;
    return -sums.lost / total_ - 1.96 * std::sqrt(discord / rows);
  }

  /// The last step answers all that is left.
  void finish(const CascadeChoice& begun, const Sums& sums) {
    const bool is_as_good = sums.worth >= full_.worth - (bounds_.tolerance + 1e-12) * total_;
    if (!is_as_good || !may_be_best(sums)) {
      return;
    }
    best_ = begun;
    best_->answered.push_back(sums.weight / total_);
    best_->accuracy = sums.right / total_;
    best_->cost_core_ms = sums.cost / total_;
  }

  const std::vector<PlanOutcome>& plans_;
  const EmbeddedRows& embedded_;
  std::span<const double> weights_;
  const CascadeBounds bounds_;
  double total_ = 0;
  Sums full_;
  std::vector<std::size_t> rows_;
  std::optional<CascadeChoice> best_;
};

}  // namespace

CascadeChoice choose_cascade(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
                             std::span<const double> weights, const CascadeBounds& bounds) {
  return Search(plans, embedded, weights, bounds).run();
}

}  // namespace braid
