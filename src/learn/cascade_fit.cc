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
         std::span<const double> weights, double tolerance)
      : plans_(plans), embedded_(embedded), weights_(weights) {
    const std::size_t stride = weights.size() / kRowsMax + 1;
    double full_value = 0;
    for (std::size_t i = 0; i < weights.size(); i += stride) {
      rows_.push_back(i);
      total_ += weights_[i];
      full_value += weights_[i] * value(plans.back(), i);
    }
    value_min_ = full_value - (tolerance + 1e-12) * total_;
  }

  CascadeChoice run() {
    for (std::size_t first = 0; first < plans_.size(); ++first) {
      CascadeChoice begun;
      begun.steps = {first};
      extend(begun, rows_, 0, 0, 0);
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
  static double value(const PlanOutcome& plan, std::size_t row) {
    return (plan.correct[row] + plan.confidence[row]) / 2;
  }

  /// `left` are the rows that the last step of `begun` runs for; the sums are of those before it.
  void extend(const CascadeChoice& begun, std::vector<std::size_t> left, double value_sum,
              double right_sum, double cost_sum) {
    const PlanOutcome& plan = plans_[begun.steps.back()];
    const Pattern before = begun.steps.size() > 1
                               ? plans_[begun.steps[begun.steps.size() - 2]].pattern
                               : Pattern(plan.pattern.size());
    for (const std::size_t i : left) {
      cost_sum += weights_[i] * cost_in_row(plan.pattern, before, embedded_, i);
    }
    if (begun.steps.size() < kStepsMax) {
      std::ranges::stable_sort(left, std::ranges::greater(),
                               [&](std::size_t i) { return plan.confidence[i]; });
    }
    std::size_t stopped = 0;
    double stopped_weight = 0;
    for (std::size_t cut = 1; cut <= kCuts; ++cut) {
      for (; stopped < left.size() * cut / kCuts; ++stopped) {
        const std::size_t i = left[stopped];
        value_sum += weights_[i] * value(plan, i);
        right_sum += weights_[i] * plan.correct[i];
        stopped_weight += weights_[i];
      }
      if (cut < kCuts && stopped > 0 && stopped < left.size()) {
        go_on(begun, left, stopped, stopped_weight, value_sum, right_sum, cost_sum);
      }
    }
    finish(begun, stopped_weight, value_sum, right_sum, cost_sum);
  }

  void go_on(const CascadeChoice& begun, const std::vector<std::size_t>& left, std::size_t stopped,
             double stopped_weight, double value_sum, double right_sum, double cost_sum) {
    const PlanOutcome& plan = plans_[begun.steps.back()];
    const double last = plan.confidence[left[stopped - 1]];
    const double next = plan.confidence[left[stopped]];
    if (begun.steps.size() == kStepsMax || last == next ||
        (best_.has_value() && cost_sum / total_ >= best_->cost_core_ms)) {
      return;
    }
    for (std::size_t later = 0; later < plans_.size(); ++later) {
      if (extends(plans_[later].pattern, plan.pattern)) {
        CascadeChoice longer = begun;
        longer.steps.push_back(later);
        longer.answer_above.push_back((last + next) / 2);
        longer.answered.push_back(stopped_weight / total_);
        extend(longer, {left.begin() + static_cast<std::ptrdiff_t>(stopped), left.end()}, value_sum,
               right_sum, cost_sum);
      }
    }
  }

  /// The last step answers all that is left.
  void finish(const CascadeChoice& begun, double stopped_weight, double value_sum, double right_sum,
              double cost_sum) {
    const double cost = cost_sum / total_;
    if (value_sum < value_min_ || (best_.has_value() && cost >= best_->cost_core_ms)) {
      return;
    }
    best_ = begun;
    best_->answered.push_back(stopped_weight / total_);
    best_->accuracy = right_sum / total_;
    best_->cost_core_ms = cost;
  }

  const std::vector<PlanOutcome>& plans_;
  const EmbeddedRows& embedded_;
  std::span<const double> weights_;
  double total_ = 0;
  double value_min_ = 0;
  std::vector<std::size_t> rows_;
  std::optional<CascadeChoice> best_;
};

}  // namespace

CascadeChoice choose_cascade(const std::vector<PlanOutcome>& plans, const EmbeddedRows& embedded,
                             std::span<const double> weights, double tolerance) {
  return Search(plans, embedded, weights, tolerance).run();
}

}  // namespace braid
