// Cascade: the cheapest plan first, the next one only while the answer in hand is not sure enough.
// The common baseline of model routing; it saves where confidence tells right from wrong, so
// calibrate first.
//   steps: [small, large]   all plans in their order unless said otherwise; barred ones are skipped
//   answer_above: 0.9       one threshold, or one for each step but the last
// A request's min_confidence takes the place of the thresholds.

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "policy/plan_choice.h"
#include "policy/policy.h"

namespace braid {
namespace {

class Cascade final : public Policy {
 public:
  /// `thresholds` are one for each step.
  Cascade(std::vector<std::size_t> steps, std::vector<double> thresholds)
      : steps_(std::move(steps)), thresholds_(std::move(thresholds)) {}

  Action decide(const Observation& seen) const override {
    if (seen.steps_run >= seen.plans.size()) {
      return Action::answer();
    }
    const std::size_t next = next_step(seen);
    if (seen.evidence.has_value() && seen.evidence->confidence >= threshold(seen, next)) {
      return Action::answer();
    }
    for (std::size_t step = next; step < steps_.size(); ++step) {
      if (is_allowed(seen, steps_[step])) {
        return Action::run(steps_[step]);
      }
    }
    // Without any answer, one of a plan outside the cascade is better than none.
    return {seen.evidence.has_value() ? std::nullopt : cheapest_allowed(seen)};
  }

 private:
  /// The step after the one of the last plan; the first when that plan is none of ours.
  std::size_t next_step(const Observation& seen) const {
    if (!seen.last_plan.has_value()) {
      return 0;
    }
    const auto last = std::ranges::find(steps_, *seen.last_plan);
    return last == steps_.end() ? 0 : static_cast<std::size_t>(last - steps_.begin()) + 1;
  }

  double threshold(const Observation& seen, std::size_t next) const {
    return seen.min_confidence.value_or(thresholds_[next == 0 ? 0 : next - 1]);
  }

  const std::vector<std::size_t> steps_;
  const std::vector<double> thresholds_;
};

Result<std::vector<double>> thresholds_for(const Settings& settings, std::size_t step_count) {
  BRAID_TRY(std::vector<double> given, settings.numbers("answer_above", {0.9}));
  if (given.size() != 1 && given.size() + 1 != step_count) {
    return settings.error("answer_above",
                          fmt::format("{} thresholds for {} steps; give one, or {}: one for each "
                                      "step but the last",
                                      given.size(), step_count, step_count - 1));
  }
  for (const double each : given) {
    if (!(each >= 0 && each <= 1)) {
      return settings.error("answer_above",
                            fmt::format("{} is no confidence; give a number from 0 to 1", each));
    }
  }
  given.resize(step_count, given.back());
  return given;
}

Result<std::unique_ptr<Policy>> make(const PolicySetup& setup) {
  BRAID_TRY(std::vector<std::size_t> steps, plans_named(setup, "steps"));
  BRAID_TRY(std::vector<double> thresholds, thresholds_for(setup.settings, steps.size()));
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  return std::unique_ptr<Policy>(
      std::make_unique<Cascade>(std::move(steps), std::move(thresholds)));
}

}  // namespace

void register_cascade(Registry<Policy>& registry) { registry.add("cascade", make); }

}  // namespace braid
