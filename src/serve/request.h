#pragma once
// Request, Decision, Reply: the values that walk. A request is one case of one pipeline.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task.h"

namespace braid {

/// A raw input as the client sent it. An input that is not in the request's list is absent.
struct RawInput {
  std::string name;
  std::string bytes;
};

/// Set by whoever no longer wants the answer; read before any work is spent.
class CancelFlag {
 public:
  CancelFlag() : state_(std::make_shared<State>()) {}
  /// A flag of its own that is cancelled with this one too.
  CancelFlag below() const {
    CancelFlag flag;
    flag.state_->above = state_;
    return flag;
  }
  void cancel() const { state_->set.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    const State* state = state_.get();
    while (state != nullptr && !state->set.load(std::memory_order_relaxed)) {
      state = state->above.get();
    }
    return state != nullptr;
  }

 private:
  struct State {
    std::atomic<bool> set = false;
    std::shared_ptr<State> above = nullptr;
  };
  std::shared_ptr<State> state_;
};

struct RouteStep {
  int step = 1;        // of the engine's loop, from 1
  std::string branch;  // or fusion node
  std::string variant;
  std::size_t rows = 1;      // of the batch that it ran in
  std::size_t own_rows = 1;  // of them this request's: several for a long text's windows
  double encode_ms = 0;
  double queue_ms = 0;
  double run_ms = 0;      // of the whole batch
  std::size_t cores = 1;  // that the run used
};

struct Degraded {
  std::string part;    // branch or raw input
  std::string reason;  // "absent", "deadline", or an error's text
};

/// How far out a branch's embedding lies.
struct DomainScore {
  std::string branch;
  double score = 0;      // share of training embeddings that are nearer to their middle
  bool flagged = false;  // above the branch's limit
};

struct Decision {
  std::string id;
  std::string pipeline;
  std::string version;
  std::string label;
  std::vector<std::pair<std::string, double>> probabilities;  // in class order
  double confidence = 0;                                      // calibrated probability of the label
  double uncertainty = 0;                                     // entropy ÷ log(classes)
  std::vector<std::pair<std::string, double>> contributions;  // in nats, by raw input
  std::string answered_by;  // the fusion node, or the branch, whose opinion this is
  std::string plan;         // of the last step
  std::vector<Degraded> degraded;
  std::vector<DomainScore> out_of_domain;  // of the branches that ran and that it was fitted for
  std::vector<RouteStep> route;
  double cost_core_ms = 0;
  double latency_ms = 0;
};

/// docs/decision.schema.json.
Json to_json(const Decision& decision);
/// Its parts, for clients that see a pipeline as a model.
Json contributions_json(const Decision& decision);
Json route_json(const Decision& decision);
Json degraded_json(const Decision& decision);
Json out_of_domain_json(const Decision& decision);

/// Answered exactly once. Destroyed unanswered, it answers kInternal.
class Reply {
 public:
  using Function = MoveFunction<void(Result<Decision>)>;

  Reply() = default;
  explicit Reply(Function function) : function_(std::move(function)) {}
  Reply(Reply&& other) noexcept : function_(std::exchange(other.function_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(function_, other.function_);
    return *this;
  }
  ~Reply();

  void operator()(Result<Decision> answer) &&;

 private:
  Function function_;
};

struct Request {
  std::string pipeline;
  std::string id;  // the client's; empty: a UUIDv7 is made
  std::vector<RawInput> inputs;
  Deadline deadline = Deadline::never();  // the pipeline's own limit holds too
  std::optional<double> min_confidence = {};
  std::optional<double> cost_budget_core_ms = {};
  std::size_t priority = 0;  // among those that wait for a model: 1 is the first; 0: none named
  bool explain = true;       // contributions cost one fusion pass a present input
  /// Run exactly this plan instead of asking the policy; for evaluation and comparison.
  std::optional<std::string> plan = {};
  /// Answer with this fusion node or branch instead of the root; for evaluation and comparison.
  std::optional<std::string> answer_node = {};
  CancelFlag cancel;
  Reply reply;

  std::size_t input_bytes() const;  // all raw inputs together
};

}  // namespace braid
