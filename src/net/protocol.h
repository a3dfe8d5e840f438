#pragma once
// Protocol: what the Open Inference Protocol asks, whatever wire it came by. HTTP and gRPC read
// their messages and ask here; neither knows the other. Threads: every function from any.   Life:
// it outlives the servers, and the draining of engine and dispatcher, since they hold what `done`
// belongs to.

#include <atomic>
#include <string>

#include "base/metrics.h"
#include "base/task.h"
#include "base/worker_pool.h"
#include "net/access_log.h"
#include "net/catalogue.h"
#include "net/infer_reply.h"
#include "net/infer_request.h"
#include "net/repository_control.h"
#include "net/request_meters.h"
#include "net/runtime_settings.h"

namespace braid {

class Protocol {
 public:
  struct Options {
    std::string version = "0.1.0";  // of the program
    /// Who loads and unloads for clients; null: nobody. It must outlive this.
    RepositoryControl* control = nullptr;
    bool control_from_anywhere = false;     // else only clients on this machine may load and unload
    const AccessLog* access_log = nullptr;  // null: nothing is logged. It must outlive this
    std::size_t elements_max = std::size_t{1} << 30;  // of one input tensor
  };

  Protocol(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
           const Clock& clock, Options options);

  const Catalogue& catalogue() const { return catalogue_; }
  RuntimeSettings& settings() { return settings_; }
  const RuntimeSettings& settings() const { return settings_; }

  /// Null while nobody wants lines: see RuntimeSettings::logs_requests().
  const AccessLog* access_log() const {
    const AccessLog* log = options_.access_log;
    return log != nullptr && (log->always() || settings_.logs_requests()) ? log : nullptr;
  }
  const Clock& clock() const { return clock_; }

  /// True unless told otherwise, as while draining.
  bool ready() const { return ready_; }
  void set_ready(bool ready) { ready_ = ready; }

  /// What came of the requests for each model and pipeline.
  const RequestMeters& meters() const { return meters_; }
  RequestMeter& meter_of(const Catalogue::Target& target);

  /// Between the two, inferences that this thread asks for are gathered (Dispatcher::gather).
  void begin_round() { dispatcher_.gather(); }
  void end_round() { dispatcher_.flush(); }

  /// Calls `done` exactly once, now or later.
  void infer(Catalogue::Target target, InferRequest request, CancelFlag cancel, InferDone done);

  /// Loads or unloads on a thread of its own, one after another. `body`: as over HTTP.
  void control(bool is_load, const std::string& name, const Json& body, bool from_loopback,
               MoveFunction<void(Result<void>)> done);

 private:
  Engine& engine_;
  Dispatcher& dispatcher_;
  const Clock& clock_;
  const Options options_;
  const Catalogue catalogue_;
  RuntimeSettings settings_;
  RequestMeters meters_;
  std::atomic<bool> ready_ = true;
  WorkerPool control_pool_{{.name = "control", .thread_count = 1, .queue_max = 64}};
};

}  // namespace braid
