#pragma once
// LoadClient: the connections of one thread of a load, over one protocol. It begins requests and
// tells of their answers; when a request is sent and what its latency counts from is not its
// business (load_lane.h). HTTP is http_load_client.cc; gRPC is src/net/grpc/grpc_load_client.cc.
// Threads: one owns it.

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace braid {

/// What one request came to.
struct LoadAnswer {
  static constexpr int kLost = -1;      // the connection broke before a whole answer
  static constexpr int kTimedOut = -2;  // given up by the lane

  std::size_t connection = 0;
  bool good = false;           // the protocol's success
  int code = 0;                // the protocol's status, or one of the above
  std::string_view text = {};  // why it is not good; valid until the next call of the client
};

class LoadClient {
 public:
  virtual ~LoadClient() = default;
  /// Begins the request of that index, of those that were prepared, on a connection that has none
  /// under way. A connection that was closed is opened again first.
  virtual void send(std::size_t connection, std::size_t request_index) = 0;
  /// Forgets the request that is under way there.
  virtual void abandon(std::size_t connection) = 0;
  /// Waits until an answer is there, but not longer than `until`; appends what there is. May
  /// return without any.
  virtual void wait(TimePoint until, std::vector<LoadAnswer>& answers) = 0;
};

}  // namespace braid
