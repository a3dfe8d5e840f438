#pragma once
// HttpServer: accepts connections, reads requests, hands them to one handler, writes its replies.
// Keep-alive; pipelined requests are answered in order, one at a time. A reply that is given inside
// handle() is written at once; one from another thread is posted to the connection's own.
// Threads: each network thread owns its connections; handle() is called on it.
// Life: stop() accepts no more, closes idle connections, finishes requests that are being answered
// (at most for `patience`), then joins; the destructor stops without patience.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace braid {

class HttpServer {
 public:
  struct Options {
    std::string name = "http";  // of its threads and in metrics
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  // 0: any free one
    std::size_t thread_count = 1;
    std::size_t connections_max = 4096;
    HttpReader::Limits limits = {};
    Duration header_timeout = std::chrono::seconds(10);  // from a head's first byte to its last
    Duration idle_timeout = std::chrono::seconds(75);    // between requests, or without progress
    Duration sweep_period = std::chrono::milliseconds(100);  // how late a time-out is noticed
  };

  /// kUnavailable names the address and the port with the cure when they cannot be had.
  static Result<std::unique_ptr<HttpServer>> start(Options options, HttpHandler& handler,
                                                   const Clock& clock, Metrics& metrics);
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);  // for start()
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  void stop(Duration patience);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace braid
