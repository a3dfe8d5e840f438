#pragma once
// GrpcLoadClient: many gRPC connections on one thread: a channel each, one completion queue,
// messages whose bytes are ready, answers dropped unread. The queue knows time in whole
// milliseconds, so an open loop sends up to 1 ms late; `sent late` tells. Threads: one owns it.
// Life: connected whole by open(); the destructor cancels and waits.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "net/load/load_client.h"
#include "net/load/server_address.h"

namespace braid {

class GrpcLoadClient final : public LoadClient {
 public:
  /// A ModelInferRequest each, as protobuf writes it; shared by the clients of a load.
  using Requests = std::shared_ptr<const std::vector<std::string>>;

  /// Opens every connection. kUnavailable says how many could be had and why not more.
  static Result<std::unique_ptr<LoadClient>> open(const ServerAddress& address,
                                                  std::size_t connection_count,
                                                  const Requests& requests, Duration patience);
  struct State;
  explicit GrpcLoadClient(std::unique_ptr<State> state);  // for open()
  ~GrpcLoadClient() override;

  void send(std::size_t connection, std::size_t request_index) override;
  void abandon(std::size_t connection) override;
  void wait(TimePoint until, std::vector<LoadAnswer>& answers) override;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace braid
