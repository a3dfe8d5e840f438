#pragma once
// HttpConnection: what one connection does next: read, hand over, write, wait, hang up. It knows no
// socket library: http_server.cc brings sockets and threads, a test brings fakes.
// Threads: everything on its loop's thread, except that a reply may come from any.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "net/http_message.h"
#include "net/http_reader.h"
#include "net/http_server.h"

namespace braid {

class HttpConnection;

enum class Readiness { kReadable, kWritable };

/// A socket that never blocks.
class HttpSocket {
 public:
  struct Io {
    enum class Kind { kSome, kAgain, kEnd, kFailed };
    Kind kind = Kind::kAgain;
    std::size_t count = 0;  // of kSome
  };
  enum class Closing { kOutput, kAll };

  virtual ~HttpSocket() = default;
  virtual Io read(std::span<char> into) = 0;
  virtual Io write(std::string_view head, std::string_view body) = 0;
  virtual void close(Closing closing) = 0;
  virtual bool from_loopback() const = 0;
  virtual std::string_view peer() const = 0;
};

/// The thread that a connection belongs to.
class HttpLoop {
 public:
  virtual ~HttpLoop() = default;
  /// Calls on_ready() once, unless the connection closes first.
  virtual void wait(HttpConnection& connection, Readiness readiness) = 0;
  /// Whether the caller is on it.
  virtual bool here() const = 0;
  /// From any thread; dropped once the loop has ended.
  virtual void post(Task task) = 0;
};

class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
 public:
  struct World {
    HttpHandler& handler;
    const Clock& clock;
    const HttpServer::Options& options;
    /// Told the status of what the connection refuses by itself, without the handler.
    const std::function<void(int status)>& on_refused;
  };

  HttpConnection(World world, std::shared_ptr<HttpLoop> loop, std::unique_ptr<HttpSocket> socket);

  void start();
  void on_ready(Readiness readiness);
  /// Acts on time-outs, gives memory of idle connections back.
  void sweep();
  /// Ends after the request at hand.
  void finish();
  void close();
  bool closed() const { return closed_; }
  HttpSocket& socket() { return *socket_; }

 private:
  enum class Phase { kReading, kAnswering, kWriting, kDraining };

  void read_more();
  void watch_for_hang_up();
  void discard();
  void advance();
  void resume();
  void dispatch();
  void answer(HttpResponse response);
  void begin_write(HttpResponse response);
  void refuse(int status, std::string_view message);
  void flush();
  void written();
  void want(Readiness readiness);
  void set_read_deadline();

  const World world_;
  const std::shared_ptr<HttpLoop> loop_;
  const std::unique_ptr<HttpSocket> socket_;
  HttpReader reader_;
  Phase phase_ = Phase::kReading;
  TimePoint deadline_ = TimePoint::max();
  TimePoint idle_since_{};
  std::optional<TimePoint> request_begin_;  // of the request that is being read
  CancelFlag cancel_;                       // of the request that is being answered
  std::optional<HttpResponse> given_inside_;
  std::string out_head_;
  std::string out_body_;
  std::size_t out_sent_ = 0;
  std::size_t discard_left_ = 0;  // bytes, before a client that does not stop is cut off
  bool waits_to_read_ = false;
  bool advancing_ = false;
  bool in_handler_ = false;
  bool head_only_ = false;
  bool close_after_ = false;
  bool finishing_ = false;
  bool closed_ = false;
};

}  // namespace braid
