#include "apps/print_decision.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {

std::string readable(const Decision& decision) {
  std::string text = fmt::format("{}  {:.1f} %  (uncertainty {:.2f}, {:.1f} ms, {:.1f} core-ms)",
                                 decision.label, 100 * decision.confidence, decision.uncertainty,
                                 decision.latency_ms, decision.cost_core_ms);
  auto ranked = decision.probabilities;
  std::ranges::sort(ranked, [](const auto& a, const auto& b) { return a.second > b.second; });
  text += "\n  then";
  for (std::size_t i = 1; i < ranked.size() && i < 4; ++i) {
    text += fmt::format("  {} {:.1f} %", ranked[i].first, 100 * ranked[i].second);
  }
  if (!decision.contributions.empty()) {
    text += "\n  because of";
    for (const auto& [input, nats] : decision.contributions) {
      text += fmt::format("  {} {:+.2f} nats", input, nats);
    }
  }
  text += fmt::format("\n  plan '{}', answered by '{}'", decision.plan, decision.answered_by);
  for (const RouteStep& step : decision.route) {
    text +=
        fmt::format("\n  step {}  {} → {}: encode {:.1f}, queue {:.1f}, run {:.1f} ms", step.step,
                    step.branch, step.variant, step.encode_ms, step.queue_ms, step.run_ms);
  }
  for (const Degraded& each : decision.degraded) {
    text += fmt::format("\n  without {}: {}", each.part, each.reason);
  }
  for (const DomainScore& each : decision.out_of_domain) {
    if (each.flagged) {
      text += fmt::format("\n  {} is out of domain: farther out than {:.1f} % of training",
                          each.branch, 100 * each.score);
    }
  }
  return text;
}

}  // namespace braid
