#pragma once
// What the HTTP server and its handlers exchange. Nothing here knows sockets or models.
// Threads: a request is read on the thread that handles it; a reply is called from any thread.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "net/body.h"
#include "serve/request.h"

namespace braid {

struct HttpHeader {
  std::string_view name;
  std::string_view value;
};

/// Borrows from the connection: valid until handle() returns, the cancel flag for as long as kept.
struct HttpRequest {
  std::string_view method;
  std::string_view target;  // as it came: percent-encoded, with its query
  std::span<const HttpHeader> headers;
  const Body& body;
  CancelFlag cancel = {};      // set when the client hangs up
  bool from_loopback = false;  // whether the client runs on this machine
  std::string_view peer = {};  // its address and port
  Duration age{};              // since its first byte, where the client's time began to run

  /// The value of the first header of that name, whatever its case; null when there is none.
  const std::string_view* header(std::string_view name) const;
  std::size_t header_count(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";  // empty: no body, no such header
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// `{"error": "text"}`.
HttpResponse http_error(int status, std::string_view text);

/// Whether both are the same word; HTTP's names do not know case.
bool same_word(std::string_view left, std::string_view right);

/// Answered exactly once, from any thread. Destroyed unanswered, it answers 500.
class HttpReply {
 public:
  using Function = MoveFunction<void(HttpResponse)>;

  explicit HttpReply(Function function) : function_(std::move(function)) {}
  HttpReply(HttpReply&& other) noexcept : function_(std::exchange(other.function_, nullptr)) {}
  HttpReply& operator=(HttpReply&& other) noexcept {
    std::swap(function_, other.function_);
    return *this;
  }
  ~HttpReply();

  void operator()(HttpResponse response) &&;

 private:
  Function function_;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// On a network thread: what takes long is handed over, what is short may reply at once.
  virtual void handle(const HttpRequest& request, HttpReply reply) = 0;
  /// A network thread that has several connections begins to handle the requests that are there;
  /// end_round() follows on the same thread when none is left. Their work may be put off till then.
  virtual void begin_round() {}
  virtual void end_round() {}
};

}  // namespace braid
