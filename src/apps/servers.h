#pragma once
// Servers: HTTP, gRPC and metrics over one open repository, started and stopped together.
// Life: stop() before the engine drains; the service, which holds replies, goes last.

#include <cstdint>
#include <memory>

#include "apps/repository.h"
#include "apps/serve_options.h"
#include "base/log_lines.h"
#include "net/access_log.h"
#include "net/byte_credits.h"
#include "net/grpc/grpc_server.h"
#include "net/http_server.h"
#include "net/machine_metrics.h"
#include "net/metrics_page.h"
#include "net/service.h"

namespace braid {

class Servers {
 public:
  /// kUnavailable names the address and port that cannot be had, with the cure. `repository`
  /// outlives them.
  static Result<std::unique_ptr<Servers>> start(const ServeOptions& options,
                                                OpenRepository& repository);

  /// Not ready any more, no new requests, those inside are finished for at most `patience`.
  void stop(Duration patience);

  std::uint16_t http_port() const { return http_->port(); }
  std::uint16_t grpc_port() const { return grpc_->port(); }
  std::uint16_t metrics_port() const { return metrics_->port(); }

  /// Only start() makes one.
  struct Private {};
  Servers(Private, const ServeOptions& options, OpenRepository& repository);

 private:
  Result<void> listen(const ServeOptions& options);
  std::vector<SampledFamily> sampled();

  OpenRepository& repository_;
  LogLines lines_;
  const AccessLog access_log_;
  ByteCredits credits_;
  MachineMetrics machine_;
  Service service_;
  MetricsPage page_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<HttpServer> metrics_;
};

}  // namespace braid
