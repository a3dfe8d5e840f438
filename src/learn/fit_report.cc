#include "learn/fit_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "learn/temperature.h"
#include "measure/calibration.h"
#include "measure/scores.h"

namespace braid {
namespace {

/// Scores of those rows of which the member says something.
FitMember scored(const std::string& name, const Member& member, const FitData& data) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (member.present[i]) {
      Answer answer{data.labels[i], {}};
      for (const double value : member.log_probabilities.row(i)) {
        answer.probabilities.push_back(std::exp(value));
      }
      answers.push_back(std::move(answer));
    }
  }
  FitMember scores;
  scores.name = name;
  if (!answers.empty()) {
    scores.accuracy = accuracy(answers);
    scores.nll = mean(nll_per_case(answers));
    scores.ece = expected_calibration_error(confidences(answers));
  }
  return scores;
}

const PatternFit* reference_fit(const FitSetup& setup, const FusionFit& fusion) {
  for (const PatternFit& fit : fusion.patterns) {
    if (fit.pattern == reference_pattern(*setup.pipeline)) {
      return &fit;
    }
  }
  return nullptr;
}

/// The weight of each member in the decision, as its entry says.
void add_weights(const FittedEntry& decision, std::vector<FitMember>& members) {
  const Json* weights = decision.parameters.find("weights");
  for (FitMember& member : members) {
    const Json* weight = weights == nullptr ? nullptr : weights->find(member.name);
    member.weight = weight == nullptr ? 0 : weight->number();
  }
}

double temperature_of(const FitSetup& setup, const std::vector<FittedHead>& heads,
                      const PatternFit& fit, std::size_t node_index) {
  if (const auto entry = fit.entries.find(node_index); entry != fit.entries.end()) {
    return entry->second.temperature;
  }
  for (const FittedHead& head : heads) {
    if (head.plan.node_index == node_index) {
      return head.temperature;  // the first variants' is the first
    }
  }
  BRAID_CHECK(node_index < setup.pipeline->config.nodes.size());
  return 1;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string members_text(const FitReport& report) {
  std::string out = fmt::format("{:<28} {:>9} {:>7} {:>7} {:>12} {:>7}\n", "out of fold", "right",
                                "NLL", "ECE", "temperature", "weight");
  for (const FitMember& member : report.members) {
    out += fmt::format("{:<28} {:>9} {:>7.3f} {:>7.3f} {:>12.2f} {:>7}\n", member.name,
                       percent(member.accuracy), member.nll, member.ece, member.temperature,
                       member.weight > 0 ? fmt::format("{:.2f}", member.weight) : "");
  }
  return out;
}

std::string cascade_text(const FitReport& report) {
  const CascadeChoice& cascade = report.cascade;
  if (cascade.answer_above.empty()) {
    return fmt::format("policy: always '{}'; no cascade saves 5 % at this accuracy\n",
                       report.plans[cascade.steps.front()].name);
  }
  std::string out = "policy: cascade\n";
  for (std::size_t step = 0; step < cascade.steps.size(); ++step) {
    const bool last = step + 1 == cascade.steps.size();
    out += fmt::format("  {}. {:<34} answers {:>7} of cases{}\n", step + 1,
                       report.plans[cascade.steps[step]].name, percent(cascade.answered[step]),
                       last ? "" : fmt::format(", those above {:.3f}", cascade.answer_above[step]));
  }
  out +=
      fmt::format("  expected: {} right at {:.1f} core-ms, against {} at {:.1f}: saves {}\n",
                  percent(cascade.accuracy), cascade.cost_core_ms, percent(cascade.full_accuracy),
                  cascade.full_cost_core_ms, percent(cascade.saving()));
  return out;
}

}  // namespace

FitReport report_of(const FitSetup& setup, const FitData& data, const EmbeddedRows& embedded,
                    const std::vector<FittedHead>& heads, const FusionFit& fusion) {
  FitReport report;
  const PipelineConfig& config = setup.pipeline->config;
  report.pipeline = config.name;
  report.row_count = data.row_count();
  report.group_count = std::set<std::string>(data.groups.begin(), data.groups.end()).size();
  report.class_count = data.classes.size();
  for (std::size_t b = 0; b < embedded.size(); ++b) {
    for (std::size_t v = 0; v < embedded[b].size(); ++v) {
      const VariantRows& rows = embedded[b][v];
      report.variants.push_back(
          {config.branches[b].name + ": " + config.branches[b].variants[v].name, rows.milliseconds,
           static_cast<std::size_t>(std::ranges::count(rows.present, true))});
    }
  }
  const PatternFit* fit = reference_fit(setup, fusion);
  if (fit == nullptr) {
    return report;
  }
  for (std::size_t b = 0; b < embedded.size(); ++b) {
    const auto entries = fusion.branches.find(config.branches[b].name);
    if (entries != fusion.branches.end()) {
      Member member{embedded[b][0].scores, embedded[b][0].present};
      const double temperature = entries->second.front().temperature;
      log_softmax(member.log_probabilities, temperature);
      report.members.push_back(scored(config.branches[b].name, member, data));
      report.members.back().temperature = temperature;
    }
  }
  for (std::size_t n = 0; n < config.nodes.size(); ++n) {
    report.members.push_back(scored(config.nodes[n].name, fit->nodes[n], data));
    report.members.back().temperature = temperature_of(setup, heads, *fit, n);
  }
  if (const auto entry = fit->entries.find(config.nodes.size() - 1); entry != fit->entries.end()) {
    add_weights(entry->second, report.members);
  }
  return report;
}

std::string readable(const FitReport& report) {
  std::string out = fmt::format("{}: {} rows in {} groups, {} classes\n\n", report.pipeline,
                                report.row_count, report.group_count, report.class_count);
  for (const FitVariant& variant : report.variants) {
    out += fmt::format("{:<44} {:>9.2f} core-ms a row, {} rows have it\n", variant.name,
                       variant.core_ms, variant.row_count);
  }
  out += "\n" + members_text(report);
  out += fmt::format("\n{:<38} {:>9} {:>7} {:>9}\n", "plan", "right", "NLL", "core-ms");
  for (const PlanOutcome& plan : report.plans) {
    out += fmt::format("{:<38} {:>9} {:>7.3f} {:>9.1f}\n", plan.name, percent(plan.accuracy),
                       plan.nll, plan.cost_core_ms);
  }
  return out + "\n" + cascade_text(report);
}

Json to_json(const FitReport& report) {
  Json::List members;
  for (const FitMember& member : report.members) {
    Json item;
    item.set("name", member.name).set("accuracy", member.accuracy).set("nll", member.nll);
    item.set("ece", member.ece).set("temperature", member.temperature);
    item.set("weight", member.weight);
    members.push_back(std::move(item));
  }
  Json::List variants;
  for (const FitVariant& variant : report.variants) {
    Json item;
    item.set("name", variant.name).set("core_ms", variant.core_ms);
    item.set("rows", static_cast<std::int64_t>(variant.row_count));
    variants.push_back(std::move(item));
  }
  Json::List plans;
  for (const PlanOutcome& plan : report.plans) {
    Json item;
    item.set("name", plan.name).set("accuracy", plan.accuracy).set("nll", plan.nll);
    item.set("cost_core_ms", plan.cost_core_ms);
    plans.push_back(std::move(item));
  }
  const CascadeChoice& chosen = report.cascade;
  Json::List steps;
  for (const std::size_t step : chosen.steps) {
    steps.push_back(report.plans[step].name);
  }
  Json cascade;
  cascade.set("steps", Json(std::move(steps))).set("answer_above", json_list(chosen.answer_above));
  cascade.set("answered", json_list(chosen.answered)).set("accuracy", chosen.accuracy);
  cascade.set("cost_core_ms", chosen.cost_core_ms).set("full_accuracy", chosen.full_accuracy);
  cascade.set("full_cost_core_ms", chosen.full_cost_core_ms).set("saving", chosen.saving());
  Json root;
  root.set("pipeline", report.pipeline).set("repository", report.repository.string());
  root.set("rows", static_cast<std::int64_t>(report.row_count));
  root.set("groups", static_cast<std::int64_t>(report.group_count));
  root.set("classes", static_cast<std::int64_t>(report.class_count));
  root.set("variants", Json(std::move(variants))).set("members", Json(std::move(members)));
  root.set("plans", Json(std::move(plans))).set("cascade", std::move(cascade));
  return root;
}

}  // namespace braid
