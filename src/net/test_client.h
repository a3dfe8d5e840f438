#pragma once
// TestClient: exact bytes over a loopback socket, blocking, with a time limit that only a hanging
// server meets. For tests and benchmarks.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace braid {

class TestClient {
 public:
  struct Answer {
    int status = 0;  // 0: the connection closed before a whole answer came
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
  };

  explicit TestClient(std::uint16_t port);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  void send(std::string_view bytes);
  /// The next answer. `has_body` is false after HEAD.
  Answer receive(bool has_body = true);
  /// Sends a whole request with Host and Content-Length, and receives its answer.
  Answer ask(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view more_headers = {});
  /// Whether the server has closed: waits for its end of stream.
  bool closed();
  void close_output();

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

/// Request line, Host, Content-Length, `more_headers` ("Name: value\r\n…"), body.
std::string http_request(std::string_view method, std::string_view target,
                         std::string_view body = {}, std::string_view more_headers = {});

}  // namespace braid
