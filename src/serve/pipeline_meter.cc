#include "serve/pipeline_meter.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

constexpr std::size_t kPresent = 0;
constexpr std::size_t kLate = 1;
constexpr std::size_t kFirstCode = 2;

/// Of a share of one; finer near the end where confidences crowd.
std::vector<double> share_bounds() {
  return {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1};
}

const char* outcome_label(std::size_t outcome) {
  return outcome == kPresent ? "present"
         : outcome == kLate  ? "late"
                             : to_label(static_cast<Code>(outcome - kFirstCode));
}

/// The fusion nodes that take this branch: where its edges lead.
std::string nodes_after(const Pipeline& pipeline, const std::string& branch) {
  std::vector<std::string> names;
  for (const NodeConfig& node : pipeline.config.nodes) {
    if (std::ranges::find(node.inputs, branch) != node.inputs.end()) {
      names.push_back(node.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

Counter& requests(const Pipeline& pipeline, Metrics& metrics, const char* outcome) {
  return metrics.counter("braid_pipeline_requests_total", "Requests by outcome.",
                         {{"outcome", outcome}, {"pipeline", pipeline.config.name}});
}

}  // namespace

const char* to_label(Code code) {
  constexpr const char* kNames[] = {"invalid_argument",  "not_found", "unsupported", "exhausted",
                                    "deadline_exceeded", "cancelled", "unavailable", "internal"};
  return kNames[static_cast<std::size_t>(code)];
}

PipelineMeter::PipelineMeter(const Pipeline& pipeline, Metrics& metrics)
    : answered_(requests(pipeline, metrics, "answered")),
      failed_(requests(pipeline, metrics, "failed")),
      degraded_(metrics.counter("braid_pipeline_degraded_total",
                                "Answers that lacked an input or a branch.",
                                {{"pipeline", pipeline.config.name}})),
      clamped_(metrics.counter("braid_policy_clamped_total",
                               "Times that a policy chose a plan that may not run.",
                               {{"pipeline", pipeline.config.name}})),
      latency_ms_(metrics.histogram("braid_pipeline_latency_ms",
                                    "From the request to its answer, in milliseconds.",
                                    latency_bounds_ms(), {{"pipeline", pipeline.config.name}})),
      confidence_(metrics.histogram("braid_pipeline_confidence",
                                    "Calibrated probability of the label, of each answer.",
                                    share_bounds(), {{"pipeline", pipeline.config.name}})),
      uncertainty_(metrics.histogram("braid_pipeline_uncertainty",
                                     "Entropy over the logarithm of the number of classes, of each "
                                     "answer.",
                                     share_bounds(), {{"pipeline", pipeline.config.name}})) {
  for (const PlanConfig& plan : pipeline.config.plans) {
    plans_.push_back(&metrics.counter("braid_pipeline_plans_total", "Plans that were run.",
                                      {{"pipeline", pipeline.config.name}, {"plan", plan.name}}));
  }
  add_edges(pipeline, metrics);
  add_parts(pipeline, metrics);
}

void PipelineMeter::add_edges(const Pipeline& pipeline, Metrics& metrics) {
  for (const Branch& branch : pipeline.branches) {
    const std::string into = nodes_after(pipeline, branch.config.name);
    std::vector<Edge>& edges = edges_.emplace_back();
    const bool has_domain = std::ranges::any_of(
        branch.variants, [](const Variant& variant) { return variant.domain != nullptr; });
    outside_.push_back(
        has_domain
            ? &metrics.counter("braid_branch_out_of_domain_total",
                               "Parts whose embedding lies farther out than the branch's limit.",
                               {{"branch", branch.config.name}, {"pipeline", pipeline.config.name}})
            : nullptr);
    for (const Variant& variant : branch.variants) {
      Labels labels{{"branch", branch.config.name},
                    {"into", into},
                    {"pipeline", pipeline.config.name},
                    {"variant", variant.config.name}};
      Edge& edge = edges.emplace_back(Edge{.variant = variant.config.name});
      edge.took_ms = &metrics.histogram(
          "braid_edge_ms",
          "From raw input to the part that a branch gives to the fusion, in milliseconds.",
          latency_bounds_ms(), labels);
      labels.emplace_back("outcome", "");
      for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome) {
        labels.back().second = outcome_label(outcome);
        edge.outcomes[outcome] = &metrics.counter(
            "braid_edge_parts_total",
            "Parts that a branch's variant gave to the fusion: present, late, or why absent.",
            labels);
      }
    }
  }
}

void PipelineMeter::add_parts(const Pipeline& pipeline, Metrics& metrics) {
  const auto add = [&](std::string_view name) {
    const auto counter = [&](const char* reason) {
      return &metrics.counter(
          "braid_pipeline_degraded_parts_total",
          "Inputs and branches that answers lacked, by reason.",
          {{"part", std::string(name)}, {"pipeline", pipeline.config.name}, {"reason", reason}});
    };
    parts_.push_back({name, counter("absent"), counter("deadline"), counter("failed")});
  };
  for (const InputConfig& input : pipeline.config.inputs) {
    if (input.from == input.name) {
      add(input.name);
    }
  }
  for (const Branch& branch : pipeline.branches) {
    const bool is_known = std::ranges::count(parts_, branch.config.name, &Part::name) > 0;
    if (!is_known) {
      add(branch.config.name);
    }
  }
}

void PipelineMeter::end(const Result<Decision>& result, double latency_ms) {
  latency_ms_.observe(latency_ms);
  if (!result.has_value()) {
    failed_.add();
    return;
  }
  answered_.add();
  confidence_.observe(result->confidence);
  uncertainty_.observe(result->uncertainty);
  count_degraded(*result);
}

void PipelineMeter::count_degraded(const Decision& decision) {
  degraded_.add(decision.degraded.empty() ? 0 : 1);
  for (const Degraded& each : decision.degraded) {
    const auto part = std::ranges::find(parts_, each.part, &Part::name);
    if (part != parts_.end()) {
      (each.reason == "absent"     ? part->absent
       : each.reason == "deadline" ? part->deadline
                                   : part->failed)
          ->add();
    }
  }
}

void PipelineMeter::edge(std::size_t branch_index, std::string_view variant,
                         std::optional<Code> absent, bool is_late, double took_ms) {
  const auto edge = std::ranges::find(edges_[branch_index], variant, &Edge::variant);
  BRAID_CHECK(edge != edges_[branch_index].end());
  const std::size_t outcome = is_late              ? kLate
                              : absent.has_value() ? kFirstCode + static_cast<std::size_t>(*absent)
                                                   : kPresent;
  edge->outcomes[outcome]->add();
  edge->took_ms->observe(took_ms);
}

}  // namespace braid
