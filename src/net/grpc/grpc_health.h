#pragma once
// GrpcHealth: grpc.health.v1 on the server's own completion queue. The service that grpc++ brings
// runs on threads of its own, which then poll everybody's connections: a call of any kind cost
// twice as much with it (docs/decisions/0059-own-health-service.md).
// Threads: calls on the poller, stop() from any.   Life: as the server; the protocol outlives it.

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "net/grpc/grpc_call.h"
#include "net/health.grpc.pb.h"
#include "net/protocol.h"

namespace braid {

class GrpcHealth {
 public:
  GrpcHealth(Protocol& protocol, GrpcLive& live) : protocol_(protocol), live_(live) {}

  grpc::Service& service() { return service_; }
  /// Waits for calls, once the server is built.
  void start(grpc::ServerCompletionQueue& queue);
  /// Tells all who watch that nothing is served any more, and ends their calls.
  void stop();

  /// One Watch call: the status now, and NOT_SERVING at the end.
  class Watch;

 private:
  using Request = grpc::health::v1::HealthCheckRequest;
  using Response = grpc::health::v1::HealthCheckResponse;

  /// Of the server, "", or of the inference service by its full name; else SERVICE_UNKNOWN.
  Response status_of(const Request& request) const;
  void watch(grpc::ServerCompletionQueue& queue);
  void add(const std::shared_ptr<Watch>& watch);
  void remove(const Watch* watch);

  Protocol& protocol_;
  GrpcLive& live_;
  grpc::health::v1::Health::AsyncService service_;

  Mutex mutex_;
  std::vector<std::shared_ptr<Watch>> watches_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace braid
