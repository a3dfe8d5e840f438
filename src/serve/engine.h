#pragma once
// Engine: the one door. A request goes in, exactly one Decision or Error comes out.
//
// Loop: observe → policy decides → run the plan's branches → fuse → observe again, until the policy
// answers, no plan is left or the deadline is near; then the answer in hand is given.
// Threads: submit() from any; the reply is called on whichever thread finishes the last work.
// Life: drain() closes the gate and waits for those inside; the destructor drains.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/alarm.h"
#include "base/clock.h"
#include "base/gate.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/published.h"
#include "base/worker_pool.h"
#include "serve/dispatcher.h"
#include "serve/model_statistics.h"
#include "serve/pipeline.h"
#include "serve/request.h"

namespace braid {

class Engine {
 public:
  struct Options {
    std::size_t pool_thread_count = 2;                            // cores; they encode raw inputs
    Duration inline_encode_max = std::chrono::microseconds(200);  // longer goes to the pool
    Duration deadline_guard = std::chrono::milliseconds(2);  // the answer in hand leaves this early
  };

  Engine(Options options, const Clock& clock, Dispatcher& dispatcher, Metrics& metrics);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Replaces a pipeline of that name whole; requests inside keep the one they began with.
  void publish(std::shared_ptr<const Pipeline> pipeline);
  void withdraw(const std::string& name);
  /// kNotFound lists the names that there are.
  Result<std::shared_ptr<const Pipeline>> pipeline(const std::string& name) const;
  /// The same without an error to build: null when there is none.
  std::shared_ptr<const Pipeline> find(const std::string& name) const;
  std::vector<std::string> pipeline_names() const;

  /// Requests since the pipeline was published; of nothing when there is none of that name.
  struct Counts {
    CountedTime success;
    CountedTime fail;
    std::optional<TimePoint> last = {};
  };
  Counts counts(const std::string& name) const;

  /// Errors reach the reply: kNotFound no such pipeline, kInvalidArgument an input that it does not
  /// have, kUnavailable while draining, kExhausted when limits.in_flight is reached.
  void submit(Request request);

  /// The same, waiting. For tools and tests; never from a pool or slot thread.
  Result<Decision> decide(Request request);

  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
