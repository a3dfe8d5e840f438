// Complexity: the size of what was sent chooses the plan, before anything has run. Right where
// small inputs are easy: a short question, a low-resolution picture.
//   measure: note                            bytes of one input, or `total`, the default
//   steps: [{up_to: 200, plan: small}, {plan: large}]      bounds in bytes, ascending
// An absent input has no bytes. A barred plan gives way to the cheapest one that may run.

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "policy/plan_choice.h"
#include "policy/policy.h"

namespace braid {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

struct Step {
  double bytes_max = kEndless;
  std::size_t plan = 0;
};

class Complexity final : public Policy {
 public:
  /// The last step has no bound. Measures all inputs together when `input` is empty.
  Complexity(std::string input, std::vector<Step> steps)
      : input_(std::move(input)), steps_(std::move(steps)) {}

  Action decide(const Observation& seen) const override {
    if (seen.evidence.has_value() || seen.steps_run >= seen.plans.size()) {
      return Action::answer();
    }
    const double bytes = measured(seen);
    const auto step =
        std::ranges::find_if(steps_, [&](const Step& each) { return bytes <= each.bytes_max; });
    const std::size_t plan = step == steps_.end() ? steps_.back().plan : step->plan;
    const bool is_first = seen.steps_run == 0;
    return {is_first && is_allowed(seen, plan) ? plan : cheapest_allowed(seen)};
  }

 private:
  double measured(const Observation& seen) const {
    double bytes = 0;
    for (const auto& [name, size] : seen.input_bytes) {
      bytes += input_.empty() || name == input_ ? size : 0;
    }
    return bytes;
  }

  const std::string input_;
  const std::vector<Step> steps_;
};

Result<Step> read_step(const PolicySetup& setup, const Yaml& item, bool is_last) {
  const Settings settings(item, setup.settings.folder());
  const bool has_bound = settings.find("up_to") != nullptr;
  if (has_bound == is_last) {
    return settings.error("up_to", is_last ? "the last step takes all that is left: no up_to"
                                           : "say up to how many bytes this plan runs: up_to");
  }
  Step step;
  if (has_bound) {
    BRAID_TRY(step.bytes_max, settings.number("up_to", 0, 0, 1e18));
  }
  BRAID_TRY(const std::string name, settings.text("plan"));
  BRAID_TRY(step.plan, plan_named(setup.plans, settings, "plan", name));
  if (const Result<void> done = settings.finish(); !done.has_value()) {
    return done.error();
  }
  return step;
}

Result<std::vector<Step>> read_steps(const PolicySetup& setup) {
  const Yaml* list = setup.settings.find("steps");
  if (list == nullptr || list->items().empty()) {
    return setup.settings.error(
        "steps", "name the plans by size: steps: [{up_to: BYTES, plan: NAME}, {plan: NAME}]");
  }
  std::vector<Step> steps;
  for (const Yaml& item : list->items()) {
    BRAID_TRY(const Step step, read_step(setup, item, &item == &list->items().back()));
    if (!steps.empty() && step.bytes_max <= steps.back().bytes_max) {
      return item.error("up_to must grow from step to step");
    }
    steps.push_back(step);
  }
  return steps;
}

Result<std::unique_ptr<Policy>> make(const PolicySetup& setup) {
  BRAID_TRY(std::string measure, setup.settings.text("measure", "total"));
  if (measure != "total" && std::ranges::find(setup.inputs, measure) == setup.inputs.end()) {
    return setup.settings.error("measure",
                                fmt::format("no input '{}'; measure 'total' or one of: {}", measure,
                                            fmt::join(setup.inputs, ", ")));
  }
  BRAID_TRY(std::vector<Step> steps, read_steps(setup));
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  return std::unique_ptr<Policy>(std::make_unique<Complexity>(
      measure == "total" ? std::string() : std::move(measure), std::move(steps)));
}

}  // namespace

void register_complexity(Registry<Policy>& registry) { registry.add("complexity", make); }

}  // namespace braid
