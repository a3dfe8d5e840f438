#include "serve/request.h"

#include <cmath>

namespace braid {
namespace {

/// Three decimals: a microsecond, which is finer than any of these times repeats.
double rounded(double milliseconds) { return std::round(milliseconds * 1000) / 1000; }

Json to_map(const std::vector<std::pair<std::string, double>>& numbers) {
  Json map(Json::Map{});
  for (const auto& [name, number] : numbers) {
    map.set(name, number);
  }
  return map;
}

Json to_json(const RouteStep& step) {
  Json map;
  map.set("step", step.step).set("branch", step.branch).set("variant", step.variant);
  map.set("rows", static_cast<std::uint64_t>(step.rows));
  map.set("encode_ms", rounded(step.encode_ms)).set("queue_ms", rounded(step.queue_ms));
  map.set("run_ms", rounded(step.run_ms));
  if (step.own_rows > 1) {
    map.set("own_rows", static_cast<std::uint64_t>(step.own_rows));
  }
  if (step.cores > 1) {
    map.set("cores", static_cast<std::uint64_t>(step.cores));
  }
  return map;
}

}  // namespace

Json degraded_json(const Decision& decision) {
  Json::List list;
  for (const Degraded& each : decision.degraded) {
    Json map;
    map.set("part", each.part).set("reason", each.reason);
    list.push_back(std::move(map));
  }
  return Json(std::move(list));
}

Json out_of_domain_json(const Decision& decision) {
  Json map(Json::Map{});
  for (const DomainScore& each : decision.out_of_domain) {
    Json item;
    item.set("score", each.score).set("flagged", each.flagged);
    map.set(each.branch, std::move(item));
  }
  return map;
}

Json route_json(const Decision& decision) {
  Json::List list;
  for (const RouteStep& step : decision.route) {
    list.push_back(to_json(step));
  }
  return Json(std::move(list));
}

Json contributions_json(const Decision& decision) { return to_map(decision.contributions); }

Json to_json(const Decision& decision) {
  Json map;
  map.set("id", decision.id).set("pipeline", decision.pipeline).set("version", decision.version);
  map.set("label", decision.label).set("probabilities", to_map(decision.probabilities));
  map.set("confidence", decision.confidence).set("uncertainty", decision.uncertainty);
  map.set("contributions", contributions_json(decision));
  map.set("answered_by", decision.answered_by).set("plan", decision.plan);
  map.set("degraded", degraded_json(decision));
  if (!decision.out_of_domain.empty()) {
    map.set("out_of_domain", out_of_domain_json(decision));
  }
  map.set("route", route_json(decision));
  map.set("cost_core_ms", rounded(decision.cost_core_ms));
  map.set("latency_ms", rounded(decision.latency_ms));
  return map;
}

Reply::~Reply() {
  if (function_) {
    function_(Error{Code::kInternal, "the request was dropped without an answer"});
  }
}

void Reply::operator()(Result<Decision> answer) && {
  Function once = std::exchange(function_, nullptr);
  BRAID_CHECK(static_cast<bool>(once));
  once(std::move(answer));
}

std::size_t Request::input_bytes() const {
  std::size_t bytes = 0;
  for (const RawInput& input : inputs) {
    bytes += input.bytes.size();
  }
  return bytes;
}

}  // namespace braid
