#include "measure/report_json.h"

namespace braid {
namespace {

Json interval_json(const Interval& each) {
  Json json;
  json.set("value", each.value);
  json.set("low", each.low);
  json.set("high", each.high);
  return json;
}

Json texts_json(const std::vector<std::string>& texts) {
  return Json(Json::List(texts.begin(), texts.end()));
}

Json configuration_json(const ConfigurationSummary& row) {
  const Configuration& configuration = row.configuration;
  Json json;
  json.set("key", configuration.key);
  json.set("title", configuration.title);
  json.set("inputs", texts_json(configuration.inputs));
  json.set("answer_node",
           configuration.answer_node.has_value() ? Json(*configuration.answer_node) : Json());
  json.set("plan", configuration.plan.has_value() ? Json(*configuration.plan) : Json());
  json.set("failures", std::uint64_t{row.failures});
  json.set("cut_short", std::uint64_t{row.cut_short});
  json.set("accuracy", interval_json(row.accuracy));
  json.set("macro_f1", row.macro_f1);
  json.set("nll", interval_json(row.nll));
  json.set("brier", row.brier);
  json.set("ece", row.ece);
  json.set("ece_of_a_perfect_model_below", row.ece_limit);
  json.set("confidence_auroc", row.auroc);
  json.set("latency_p50_ms", row.latency_p50_ms);
  json.set("latency_p95_ms", row.latency_p95_ms);
  json.set("cost_core_ms", interval_json(row.cost_core_ms));
  Json plans(Json::Map{});
  for (const auto& [plan, count] : row.plans) {
    plans.set(plan, std::uint64_t{count});
  }
  json.set("plans", std::move(plans));
  return json;
}

Json comparison_json(const Comparison& each) {
  Json json;
  json.set("key", each.key);
  json.set("title", each.title);
  json.set("accuracy", interval_json(each.accuracy));
  json.set("nll", interval_json(each.nll));
  json.set("saving", each.saving.has_value() ? interval_json(*each.saving) : Json());
  json.set("significant", significant(each.accuracy));
  json.set("non_inferior", each.is_non_inferior);
  return json;
}

Json answer_json(const CaseAnswer& answer) {
  Json json;
  if (!answer.error.empty()) {
    json.set("error", answer.error);
    return json;
  }
  json.set("label", answer.label);
  json.set("probabilities", json_list(answer.probabilities));
  json.set("plan", answer.plan);
  json.set("latency_ms", answer.latency_ms);
  json.set("cost_core_ms", answer.cost_core_ms);
  return json;
}

Json record_json(const CaseRecord& record, const std::vector<Configuration>& configurations) {
  Json json;
  json.set("id", record.id);
  json.set("group", record.group);
  json.set("label", record.label);
  Json answers(Json::Map{});
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    answers.set(configurations[c].key, answer_json(record.answers[c]));
  }
  json.set("answers", std::move(answers));
  return json;
}

}  // namespace

Json report_json(const Evaluation& evaluation, const Summary& summary) {
  Json json;
  json.set("cases", std::uint64_t{summary.case_count});
  json.set("groups", std::uint64_t{summary.group_count});
  json.set("margin", summary.margin);
  json.set("classes", texts_json(evaluation.classes));
  Json::List configurations;
  for (const ConfigurationSummary& row : summary.configurations) {
    configurations.push_back(configuration_json(row));
  }
  json.set("configurations", std::move(configurations));
  Json::List comparisons;
  for (const Comparison& each : summary.comparisons) {
    comparisons.push_back(comparison_json(each));
  }
  json.set("comparisons", std::move(comparisons));
  Json::List records;
  for (const CaseRecord& each : evaluation.cases) {
    records.push_back(record_json(each, evaluation.configurations));
  }
  json.set("records", std::move(records));
  return json;
}

}  // namespace braid
