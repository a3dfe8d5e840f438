#pragma once
// Service: what stands behind the HTTP server: routes a request to what the catalogue knows, to
// inference or decision, and its answer back. Wire types end here; models and engine never see
// them. Threads: handle() on any network thread; replies come from wherever the work ends. Life: it
// outlives its server and, since they hold replies, the draining of engine and dispatcher.

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "model/store.h"
#include "net/byte_credits.h"
#include "net/http_message.h"
#include "net/http_meter.h"
#include "net/protocol.h"
#include "net/router.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class Service final : public HttpHandler {
 public:
  struct Options {
    std::size_t inflated_bytes_max = std::size_t{64} << 20;  // of a compressed body
    std::size_t json_depth_max = 64;  // of what is not an inference; those nest as their shapes
    ByteCredits* credits = nullptr;   // for what inflating adds; null: no limit
    Protocol::Options protocol = {};
  };

  Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
          const Clock& clock);
  Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
          const Clock& clock, Options options);

  /// What another wire asks too.
  Protocol& protocol() { return protocol_; }

  void handle(const HttpRequest& request, HttpReply reply) override;
  void begin_round() override { protocol_.begin_round(); }
  void end_round() override { protocol_.end_round(); }

 private:
  /// What the access log will say of a request; null while it is off.
  using Noted = std::shared_ptr<AccessEntry>;

  void answer(const Route& route, const HttpRequest& request, const Noted& noted, HttpReply reply);
  HttpResponse health(Endpoint endpoint) const;
  /// What needs no body.
  Result<Json> read(const Route& route) const;
  /// What changes or asks with a small JSON body.
  Result<Json> change(const Route& route, const Body& body);
  void control(const Route& route, const HttpRequest& request, const Body& body, HttpReply reply);
  void infer(const Route& route, const HttpRequest& request, const Body& body, const Noted& noted,
             HttpReply reply);
  void decide(const Route& route, const HttpRequest& request, const Body& body, const Noted& noted,
              HttpReply reply);
  Noted note(Endpoint endpoint, const HttpRequest& request) const;
  /// Counts, compresses and logs the answer on its way out, with the client's X-Request-Id on it.
  HttpReply metered(Endpoint endpoint, const HttpRequest& request, Noted noted, HttpReply reply);

  Engine& engine_;
  const Clock& clock_;
  const Options options_;
  Protocol protocol_;
  HttpMeter meter_;
};

}  // namespace braid
