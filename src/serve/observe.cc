#include "serve/observe.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid {
namespace {

double& number(Observation& seen, Seen which) {
  return seen.numbers[static_cast<std::size_t>(which)];
}

/// What remains of a plan: cost in core-milliseconds, and time when its branches share the slots.
struct Remaining {
  double cost_ms = 0;
  double mean_ms = 0;
  double q95_ms = 0;
  std::size_t branch_count = 0;
};

double encode_cost(const Live& live, const Variant& variant, const Progress& progress) {
  double cost = 0;
  for (const Variant::Feed& feed : variant.feeds) {
    const bool first_feed =
        &feed == &*std::ranges::find(variant.feeds, feed.input_index, &Variant::Feed::input_index);
    if (first_feed && progress.input_encoded[feed.input_index] == 0) {
      cost += live.encode_ms[feed.input_index].mean();
    }
  }
  return cost;
}

Remaining remaining(const Live& live, const Dispatcher& dispatcher, const PlanConfig& plan,
                    const Progress& progress) {
  const Pipeline& pipeline = *live.pipeline;
  Remaining total;
  double longest_mean = 0;
  double longest_q95 = 0;
  for (std::size_t b = 0; b < pipeline.branches.size(); ++b) {
    const std::optional<std::size_t> v = variant_of(pipeline, plan, b);
    if (!v.has_value() || progress.branch_ran[b] == v) {
      continue;
    }
    const Variant& variant = pipeline.branches[b].variants[*v];
    if (!can_run(pipeline, variant, progress.input_sent)) {
      continue;
    }
    const double encode = encode_cost(live, variant, progress);
    const auto run =
        variant.model != nullptr ? dispatcher.predict(*variant.model, 1) : Dispatcher::Prediction{};
    total.cost_ms += encode + in_ms(run.mean);
    longest_mean = std::max(longest_mean, encode + in_ms(run.mean));
    longest_q95 = std::max(longest_q95, encode + in_ms(run.q95));
    ++total.branch_count;
  }
  total.mean_ms = longest_mean;
  total.q95_ms = longest_q95;
  return total;
}

std::string barred(const Remaining& rest, const Request& request, const Progress& progress) {
  if (rest.branch_count == 0) {
    return progress.steps_run == 0 ? "none of its inputs was sent" : "nothing of it is left to run";
  }
  // Five per cent of the time, at least a millisecond, are kept for fusion and the way back.
  const double left_ms = in_ms(progress.left);
  const double guard_ms = std::max(1.0, 0.05 * left_ms);
  if (rest.q95_ms > 0 && rest.q95_ms + guard_ms > left_ms) {
    return fmt::format("it may take {:.1f} ms, and the deadline is {:.1f} ms away", rest.q95_ms,
                       left_ms);
  }
  if (request.cost_budget_core_ms.has_value() &&
      progress.spent_core_ms + rest.cost_ms > *request.cost_budget_core_ms) {
    return fmt::format("{:.1f} core-ms are spent, it costs {:.1f} more, the budget is {:.1f}",
                       progress.spent_core_ms, rest.cost_ms, *request.cost_budget_core_ms);
  }
  return {};
}

}  // namespace

std::optional<std::size_t> variant_of(const Pipeline& pipeline, const PlanConfig& plan,
                                      std::size_t branch_index) {
  const Branch& branch = pipeline.branches[branch_index];
  const auto named = plan.variants.find(branch.config.name);
  if (named == plan.variants.end()) {
    return std::nullopt;
  }
  for (std::size_t v = 0; v < branch.variants.size(); ++v) {
    if (branch.variants[v].config.name == named->second) {
      return v;
    }
  }
  return std::nullopt;
}

bool can_run(const Pipeline& pipeline, const Variant& variant,
             const std::vector<char>& input_sent) {
  return std::ranges::all_of(variant.config.inputs, [&](const std::string& name) {
    const auto& inputs = pipeline.config.inputs;
    const auto found = std::ranges::find(inputs, name, &InputConfig::name);
    return input_sent[static_cast<std::size_t>(found - inputs.begin())] != 0;
  });
}

Observation observe(const Live& live, const Dispatcher& dispatcher, const Request& request,
                    const Progress& progress) {
  const Pipeline& pipeline = *live.pipeline;
  Observation seen;
  const Dispatcher::Load load = dispatcher.load();
  number(seen, Seen::kUtilisation) = load.busy;
  number(seen, Seen::kQueue) = load.queue;
  const double budget_ms = in_ms(progress.elapsed + progress.left);
  number(seen, Seen::kSlack) =
      budget_ms > 0 ? std::clamp(in_ms(progress.left) / budget_ms, -1.0, 1.0) : -1;
  number(seen, Seen::kTrouble) = std::clamp(live.trouble.mean(), 0.0, 1.0);
  if (progress.evidence.has_value()) {
    number(seen, Seen::kConfidence) = progress.evidence->confidence;
    number(seen, Seen::kUncertainty) = progress.evidence->uncertainty;
  }
  for (const PlanConfig& plan : pipeline.config.plans) {
    const Remaining rest = remaining(live, dispatcher, plan, progress);
    PlanSeen row{.name = plan.name};
    row.latency_mean =
        std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(rest.mean_ms));
    row.latency_q95 =
        std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(rest.q95_ms));
    row.cost_core_ms = rest.cost_ms;
    row.barred = barred(rest, request, progress);
    seen.plans.push_back(std::move(row));
  }
  for (const RawInput& input : request.inputs) {
    seen.input_bytes.emplace_back(input.name, static_cast<double>(input.bytes.size()));
  }
  seen.steps_run = progress.steps_run;
  seen.last_plan = progress.last_plan;
  seen.evidence = progress.evidence;
  seen.min_confidence = request.min_confidence;
  seen.cost_budget_core_ms = request.cost_budget_core_ms;
  seen.priority = request.priority;
  return seen;
}

Action clamp(const Action& wanted, const Observation& seen, bool& clamped) {
  const bool wants_answer = !wanted.plan.has_value();
  const bool may_run =
      !wants_answer && *wanted.plan < seen.plans.size() && seen.plans[*wanted.plan].barred.empty();
  clamped = false;
  if (may_run || (wants_answer && seen.evidence.has_value())) {
    return wanted;
  }
  if (seen.evidence.has_value()) {
    clamped = true;
    return Action::answer();
  }
  Action cheapest = Action::answer();
  for (std::size_t i = 0; i < seen.plans.size(); ++i) {
    const bool better = seen.plans[i].barred.empty() &&
                        (!cheapest.plan.has_value() ||
                         seen.plans[i].cost_core_ms < seen.plans[*cheapest.plan].cost_core_ms);
    cheapest = better ? Action::run(i) : cheapest;
  }
  clamped = cheapest.plan.has_value();
  return cheapest;
}

}  // namespace braid
