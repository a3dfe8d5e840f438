#pragma once
// PipelineMeter: what is counted of one pipeline's requests: outcomes, how sure the answers were,
// which plans and variants ran, what was absent and what was degraded, and each edge from a branch
// to the fusion. Instruments are made when the pipeline is published; counting touches atomics
// only. Threads: every function from any.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "serve/pipeline.h"
#include "serve/request.h"

namespace braid {

class PipelineMeter {
 public:
  PipelineMeter(const Pipeline& pipeline, Metrics& metrics);

  /// A request ended: with a decision, or with an error of this code.
  void end(const Result<Decision>& result, double latency_ms);
  /// Refused before it began.
  void refused() { failed_.add(); }
  void clamped() { clamped_.add(); }
  /// A part of this branch lies farther out than its limit. Only where a domain was fitted.
  void out_of_domain(std::size_t branch_index) { outside_[branch_index]->add(); }
  /// This plan begins to run.
  void chose(std::size_t plan_index) { plans_[plan_index]->add(); }

  /// What a branch's variant gave to the fusion: a part (no code), or why it is absent. A part that
  /// came after the request had gone on is late, whatever it is.
  void edge(std::size_t branch_index, std::string_view variant, std::optional<Code> absent,
            bool is_late, double took_ms);

 private:
  static constexpr std::size_t kOutcomes = 10;  // present, late, then the codes
  struct Edge {
    std::string_view variant;  // the pipeline's own
    std::array<Counter*, kOutcomes> outcomes{};
    Histogram* took_ms = nullptr;
  };
  /// Something that a decision may lack: a raw input or a branch.
  struct Part {
    std::string_view name;  // the pipeline's own
    Counter* absent = nullptr;
    Counter* deadline = nullptr;
    Counter* failed = nullptr;
  };

  void add_edges(const Pipeline& pipeline, Metrics& metrics);
  void add_parts(const Pipeline& pipeline, Metrics& metrics);
  void count_degraded(const Decision& decision);

  Counter& answered_;
  Counter& failed_;
  Counter& degraded_;
  Counter& clamped_;
  Histogram& latency_ms_;
  Histogram& confidence_;
  Histogram& uncertainty_;
  std::vector<Counter*> plans_;           // as PipelineConfig::plans
  std::vector<std::vector<Edge>> edges_;  // by branch, then variant
  std::vector<Part> parts_;
  std::vector<Counter*> outside_;  // by branch; null where no domain was fitted
};

/// "invalid_argument": a label for metrics.
const char* to_label(Code code);

}  // namespace braid
