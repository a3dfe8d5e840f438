#pragma once
// GrpcServer: the protocol over gRPC: one completion queue, one poller.
// Threads: start and stop from one; calls on the poller, answers from wherever the work ends.
// Life: stop() refuses new calls, waits for those inside up to `patience`, cancels the rest; the
// destructor stops at once. The protocol outlives it.

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/byte_credits.h"
#include "net/protocol.h"

namespace braid {

class GrpcServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;                                 // 0 takes a free one
    std::size_t message_bytes_max = std::size_t{64} << 20;  // of a request
    std::size_t head_bytes_max = std::size_t{64} << 10;     // of a call's metadata
    Duration handshake_timeout = std::chrono::seconds(10);  // of a connection's first bytes
    Duration idle_timeout = std::chrono::seconds(75);       // of a connection without calls
    ByteCredits* credits = nullptr;  // inference requests claim their bytes here; null: no limit
  };

  /// kUnavailable when the port is taken.
  static Result<std::unique_ptr<GrpcServer>> start(const Options& options, Protocol& protocol,
                                                   const Clock& clock, Metrics& metrics);

  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  std::uint16_t port() const;
  void stop(Duration patience);

  struct State;
  explicit GrpcServer(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace braid
