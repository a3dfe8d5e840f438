#pragma once
// Service: what stands behind the HTTP server: routes a request to what the catalogue knows, to
// inference or decision, and its answer back. Wire types end here; models and engine never see
// them. Threads: handle() on any network thread; replies come from wherever the work ends. Life: it
// outlives its server and, since they hold replies, the draining of engine and dispatcher.

#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/worker_pool.h"
#include "model/store.h"
#include "net/catalogue.h"
#include "net/http_message.h"
#include "net/http_meter.h"
#include "net/repository_control.h"
#include "net/router.h"
#include "net/runtime_settings.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class Service final : public HttpHandler {
 public:
  struct Options {
    std::string version = "0.1.0";                       // of the program, for GET /v2
    std::size_t body_bytes_max = std::size_t{64} << 20;  // of a body after inflating
    /// Who loads and unloads for clients; null: nobody. It must outlive the service.
    RepositoryControl* control = nullptr;
    bool control_from_anywhere = false;  // else only clients on this machine may load and unload
  };

  Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
          const Clock& clock);
  Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
          const Clock& clock, Options options);

  /// What GET /v2/health/ready says: true unless told otherwise, as while draining.
  void set_ready(bool ready) { ready_ = ready; }

  void handle(const HttpRequest& request, HttpReply reply) override;

 private:
  void answer(const Route& route, const HttpRequest& request, HttpReply reply);
  HttpResponse health(Endpoint endpoint) const;
  /// What needs no body.
  Result<Json> read(const Route& route) const;
  /// What changes or asks with a small JSON body.
  Result<Json> change(const Route& route, const Body& body);
  void control(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  void infer(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  void decide(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  /// Counts, compresses and logs the answer on its way out.
  HttpReply metered(Endpoint endpoint, const HttpRequest& request, HttpReply reply);

  Engine& engine_;
  Dispatcher& dispatcher_;
  const Clock& clock_;
  const Options options_;
  Catalogue catalogue_;
  RuntimeSettings settings_;
  const Log log_;
  HttpMeter meter_;
  WorkerPool control_pool_{{.name = "control", .thread_count = 1, .queue_max = 64}};
  std::atomic<bool> ready_ = true;
};

}  // namespace braid
