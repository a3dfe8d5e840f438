#include "learn/plan_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace braid {
namespace {

constexpr std::size_t kPlansMax = 12;

std::string name_of(const Pattern& pattern, const Pipeline& pipeline) {
  if (pattern == reference_pattern(pipeline)) {
    return "full";
  }
  std::string name;
  for (std::size_t b = 0; b < pattern.size(); ++b) {
    if (!pattern[b].has_value()) {
      continue;
    }
    const Branch& branch = pipeline.branches[b];
    name += (name.empty() ? "" : "_") + branch.config.name;
    name += *pattern[b] > 0 ? "_" + branch.variants[*pattern[b]].config.name : "";
  }
  return name;
}

/// At most 12, from cheap to full: "full", which is the last, and those that no other plan beats in
/// both cost and log loss.
std::vector<PlanOutcome> pruned(std::vector<PlanOutcome> plans) {
  PlanOutcome full = std::move(plans.back());
  plans.pop_back();
  std::ranges::stable_sort(plans, {}, &PlanOutcome::cost_core_ms);
  std::vector<PlanOutcome> kept;
  for (PlanOutcome& plan : plans) {
    const bool is_cheaper = plan.cost_core_ms < full.cost_core_ms;
    if (is_cheaper && (kept.empty() || plan.nll < kept.back().nll)) {
      kept.push_back(std::move(plan));
    }
  }
  while (kept.size() >= kPlansMax) {
    std::size_t least = 1;  // the one that gains least over its cheaper neighbour
    for (std::size_t i = 2; i < kept.size(); ++i) {
      if (kept[i - 1].nll - kept[i].nll < kept[least - 1].nll - kept[least].nll) {
        least = i;
      }
    }
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(least));
  }
  kept.push_back(std::move(full));
  return kept;
}

Pattern pattern_of(const PlanConfig& plan, const Pipeline& pipeline) {
  Pattern pattern(pipeline.branches.size());
  for (std::size_t b = 0; b < pattern.size(); ++b) {
    const auto named = plan.variants.find(pipeline.branches[b].config.name);
    const std::vector<Variant>& variants = pipeline.branches[b].variants;
    for (std::size_t v = 0; named != plan.variants.end() && v < variants.size(); ++v) {
      if (variants[v].config.name == named->second) {
        pattern[b] = v;
      }
    }
  }
  return pattern;
}

/// Decisions by pattern, for rows that lack some of a plan's inputs.
class Decisions {
 public:
  Decisions(const FusionFit& fusion, const EmbeddedRows& embedded, const FitData& data)
      : embedded_(embedded), data_(data) {
    for (const PatternFit& fit : fusion.patterns) {
      by_pattern_[fit.pattern] = &fit;
    }
  }

  PlanOutcome outcome(const Pattern& pattern) const {
    PlanOutcome outcome{.name = {}, .pattern = pattern, .confidence = {}, .correct = {}};
    const Pattern nothing(pattern.size());
    double total = 0;
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      const std::vector<double> log_probabilities = in_this_row(pattern, i);
      const auto best = std::ranges::max_element(log_probabilities);
      const bool correct =
          static_cast<std::size_t>(best - log_probabilities.begin()) == data_.labels[i];
      outcome.confidence.push_back(std::exp(*best));
      outcome.correct.push_back(correct ? 1 : 0);
      outcome.accuracy += data_.weights[i] * outcome.correct.back();
      outcome.nll -= data_.weights[i] * log_probabilities[data_.labels[i]];
      outcome.cost_core_ms += data_.weights[i] * cost_in_row(pattern, nothing, embedded_, i);
      total += data_.weights[i];
    }
    outcome.accuracy /= total;
    outcome.nll /= total;
    outcome.cost_core_ms /= total;
    return outcome;
  }

  /// See PlanOutcome::worth.
  void add_worth(std::vector<PlanOutcome>& plans) const {
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      const std::vector<double> known = in_this_row(plans.back().pattern, i);
      for (PlanOutcome& plan : plans) {
        const std::vector<double> said = in_this_row(plan.pattern, i);
        const auto label = std::ranges::max_element(said) - said.begin();
        plan.worth.push_back(std::exp(known[static_cast<std::size_t>(label)]));
      }
    }
  }

 private:
  /// What was fitted for just the branches that this row has, else for the whole plan; where
  /// neither is there, all that is known is how common each class is.
  std::vector<double> in_this_row(const Pattern& pattern, std::size_t row_index) const {
    for (const Pattern& candidate : {in_row(pattern, embedded_, row_index), pattern}) {
      const auto fit = by_pattern_.find(candidate);
      if (fit != by_pattern_.end() && fit->second->decision.present[row_index]) {
        const auto row = fit->second->decision.log_probabilities.row(row_index);
        return {row.begin(), row.end()};
      }
    }
    std::vector<double> prior;
    for (const double share : data_.prior) {
      prior.push_back(std::log(std::max(share, 1e-6)));
    }
    return prior;
  }

  std::map<Pattern, const PatternFit*> by_pattern_;
  const EmbeddedRows& embedded_;
  const FitData& data_;
};

}  // namespace

double cost_in_row(const Pattern& next, const Pattern& before, const EmbeddedRows& embedded,
                   std::size_t row_index) {
  double cost = 0;
  for (std::size_t b = 0; b < next.size(); ++b) {
    if (next[b].has_value() && next[b] != before[b] && embedded[b][*next[b]].present[row_index]) {
      cost += embedded[b][*next[b]].milliseconds;
    }
  }
  return cost;
}

std::vector<PlanOutcome> plan_outcomes(const FitSetup& setup, const FitData& data,
                                       const EmbeddedRows& embedded, const FusionFit& fusion) {
  const Decisions decisions(fusion, embedded, data);
  std::vector<PlanOutcome> plans;
  if (setup.config.plans.has_value()) {
    for (const PlanConfig& plan : setup.config.pipeline.plans) {
      plans.push_back(decisions.outcome(pattern_of(plan, *setup.pipeline)));
      plans.back().name = plan.name;
    }
    decisions.add_worth(plans);
    return plans;
  }
  for (const PatternFit& fit : fusion.patterns) {
    plans.push_back(decisions.outcome(fit.pattern));
    plans.back().name = name_of(fit.pattern, *setup.pipeline);
  }
  std::ranges::stable_partition(plans, [](const PlanOutcome& plan) { return plan.name != "full"; });
  plans = pruned(std::move(plans));
  decisions.add_worth(plans);
  return plans;
}

}  // namespace braid
