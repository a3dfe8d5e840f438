#pragma once
// Service: what stands behind the HTTP server: routes a request to health, metadata, inference or
// decision, and its answer back. Wire types end here; models and engine never see them.
// Threads: handle() on any network thread; replies come from wherever the work ends.
// Life: it outlives its server and, since they hold replies, the draining of engine and dispatcher.

#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "model/store.h"
#include "net/http_message.h"
#include "net/http_meter.h"
#include "net/router.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class Service final : public HttpHandler {
 public:
  struct Options {
    std::string version = "0.1.0";                       // of the program, for GET /v2
    std::size_t body_bytes_max = std::size_t{64} << 20;  // of a body after inflating
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
  HttpResponse model(const Route& route) const;
  HttpResponse model_ready(const Route& route) const;
  HttpResponse pipeline(const Route& route) const;
  void infer(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  void decide(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  HttpReply metered(Endpoint endpoint, HttpReply reply);
  Result<std::shared_ptr<const Pipeline>> find_pipeline(const Route& route) const;
  /// A pipeline when there is one of that name, else a model.
  struct Target {
    std::shared_ptr<const Pipeline> pipeline;
    ModelHandle model;
  };
  Result<Target> find_target(const Route& route) const;

  Engine& engine_;
  Dispatcher& dispatcher_;
  const ModelStore& store_;
  const Clock& clock_;
  const Options options_;
  HttpMeter meter_;
  std::atomic<bool> ready_ = true;
};

}  // namespace braid
