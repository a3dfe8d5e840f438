#pragma once
// ScriptedServer: a server of exact bytes for the tests of the load client: what it sends for the
// n-th request of all, and whether it hangs up then. Its thread ends with the object.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace braid {

class ScriptedServer {
 public:
  struct Line {
    std::string bytes;
    bool hang_up = false;  // after the bytes
  };
  using Script = std::function<Line(std::size_t nth, const std::string& request)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t connections_seen() const { return connections_seen_; }
  std::size_t requests_seen() const { return requests_seen_; }

 private:
  void run();
  /// Whether the connection stays open.
  bool serve(int connection, std::string& buffer);

  const Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> connections_seen_ = 0;
  std::atomic<std::size_t> requests_seen_ = 0;
  std::thread thread_;
};

/// "HTTP/1.1 STATUS X", Content-Length, body.
std::string answer_bytes(int status, const std::string& body);

}  // namespace braid
