#pragma once
// HttpLoadClient: many keep-alive connections on one thread: epoll, requests whose bytes are ready,
// answers read and dropped. One send and one receive a request where nothing is large.
// Threads: one owns it.   Life: connected whole by open(); the destructor closes.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "net/load/load_client.h"
#include "net/load/server_address.h"

namespace braid {

class HttpLoadClient final : public LoadClient {
 public:
  /// All bytes of each request; shared by the clients of a load.
  using Requests = std::shared_ptr<const std::vector<std::string>>;

  /// Opens every connection. kUnavailable says how many could be had and why not more.
  static Result<std::unique_ptr<LoadClient>> open(const ServerAddress& address,
                                                  std::size_t connection_count, Requests requests,
                                                  Duration patience);
  struct State;
  explicit HttpLoadClient(std::unique_ptr<State> state);  // for open()
  ~HttpLoadClient() override;

  void send(std::size_t connection, std::size_t request_index) override;
  void abandon(std::size_t connection) override;
  void wait(TimePoint until, std::vector<LoadAnswer>& answers) override;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace braid
