#pragma once
// Walk: one request on its way through the engine's loop: observe, decide, run a plan's branches,
// fuse, observe again, answer. A state machine that is driven by whoever finishes the last work.
// Threads: begin() once; completions from any thread. mutex_ guards what they touch; nothing is
// called under it.   Life: held by the work that it waits for; gone after the reply.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/alarm.h"
#include "base/gate.h"
#include "base/worker_pool.h"
#include "serve/engine.h"
#include "serve/fusion_run.h"
#include "serve/live.h"
#include "serve/observe.h"
#include "serve/part_of.h"
#include "serve/request.h"

namespace braid {

/// What all walks of an engine share.
struct EngineParts {
  const Engine::Options options;
  const Clock& clock;
  Dispatcher& dispatcher;
  WorkerPool pool;
  Alarm alarm;
};

class Walk : public std::enable_shared_from_this<Walk> {
 public:
  Walk(EngineParts& engine, std::shared_ptr<Live> live, Request request, Gate::Pass pass);

  void begin();

 private:
  enum class InputState { kIdle, kRunning, kDone };
  struct Input {
    const RawInput* raw = nullptr;  // null: not sent
    InputState state = InputState::kIdle;
    std::optional<Encoded> encoded = {};
    std::optional<Error> failure = {};
    double encode_ms = 0;
  };
  struct BranchRun {
    std::optional<std::size_t> variant = {};  // that ran last
    std::size_t inputs_missing = 0;           // before it can be dispatched
    bool pending = false;
    bool not_sent = false;  // absent because its raw input is
  };

  // The loop (walk.cc).
  void step();
  Action decide(std::string& barred) REQUIRES(mutex_);
  Action forced_action(const Observation& seen) const REQUIRES(mutex_);
  Progress progress() REQUIRES(mutex_);
  void fuse();
  void on_fused(FusionResult result);
  void explain();
  void on_explained(const std::vector<std::string>& left_out, const FusionResult& result);
  void on_deadline();

  // The end (walk_answer.cc).
  bool take_evidence(const FusionResult& result) REQUIRES(mutex_);
  std::optional<Error> missing_required() REQUIRES(mutex_);
  Error why_nothing(const std::string& reason) REQUIRES(mutex_);
  Decision decision() REQUIRES(mutex_);
  void answer();
  void fail(Error error);
  void finish(Result<Decision> result);

  // The branches of a plan (walk_branches.cc).
  void run_plan(std::size_t plan_index);
  void encode(std::size_t input_index, std::size_t step);
  void on_encoded(std::size_t input_index, std::size_t step, Result<Encoded> encoded,
                  double encode_ms);
  void dispatch(std::size_t branch_index, std::size_t step);
  void on_branch(std::size_t branch_index, std::size_t step, Result<BranchPart> part,
                 RouteStep route);
  Result<BranchPart> look_at_domain(std::size_t branch_index, BranchPart part) REQUIRES(mutex_);
  /// One thing less to wait for in this step; the last one fuses.
  void release(std::size_t step);
  const Variant& variant(std::size_t branch_index) const REQUIRES(mutex_);
  const std::string* input_not_sent(std::size_t branch_index, std::size_t variant_index) const
      REQUIRES(mutex_);

  EngineParts& engine_;
  const std::shared_ptr<Live> live_;
  const Pipeline& pipeline_;
  Request request_;
  const CancelFlag cancel_;  // below the client's: set too once this request is answered
  Gate::Pass pass_;
  const TimePoint started_;
  const Deadline deadline_;
  std::optional<std::pair<Alarm::Id, TimePoint>> alarm_;

  Mutex mutex_;
  std::vector<Input> inputs_ GUARDED_BY(mutex_);
  std::vector<BranchRun> branches_ GUARDED_BY(mutex_);
  std::vector<BranchPart> parts_ GUARDED_BY(mutex_);  // constant while nothing is pending
  /// As Pipeline::branches: of the last part that came, present or not.
  std::vector<std::optional<double>> domain_scores_ GUARDED_BY(mutex_);
  std::vector<RouteStep> route_ GUARDED_BY(mutex_);
  std::vector<std::string> late_ GUARDED_BY(mutex_);  // branches that the deadline cut off
  std::vector<Degraded> lost_ GUARDED_BY(mutex_);     // larger variants that failed
  std::size_t pending_ GUARDED_BY(mutex_) = 0;
  std::size_t step_ GUARDED_BY(mutex_) = 0;  // completions of an earlier step are too late
  std::optional<std::size_t> plan_ GUARDED_BY(mutex_);
  std::optional<std::vector<float>> in_hand_ GUARDED_BY(mutex_);  // probabilities
  std::optional<Evidence> evidence_ GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, double>> contributions_ GUARDED_BY(mutex_);
  std::string answered_by_ GUARDED_BY(mutex_);
  double cost_core_ms_ GUARDED_BY(mutex_) = 0;
  bool cut_ GUARDED_BY(mutex_) = false;  // the deadline came: answer, whatever is there
  bool answered_ GUARDED_BY(mutex_) = false;
};

/// What the request wants to be answered with: the root, or the branch or node that it names.
const PartRows* answer_rows(const Pipeline& pipeline, const Request& request,
                            const FusionResult& result);

}  // namespace braid
