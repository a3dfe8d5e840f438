#include "net/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <utility>  // before Asio, which forgets it and g++ 12 notices
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "base/mutex.h"
#include "base/worker_pool.h"
#include "net/http_connection.h"

namespace braid {
namespace {

namespace asio = boost::asio;
using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr Duration kAcceptPause = std::chrono::milliseconds(100);  // after "too many open files"

class Socket final : public HttpSocket {
 public:
  explicit Socket(tcp::socket socket) : socket_(std::move(socket)) {
    ErrorCode ignored;  // a connection that is gone already says so at the first read
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    note_peer();
  }

  Io read(std::span<char> into) override {
    ErrorCode code;
    const std::size_t count = socket_.read_some(asio::buffer(into.data(), into.size()), code);
    return io(count, code);
  }
  Io write(std::string_view head, std::string_view body) override {
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head.data(), head.size()),
                                                     asio::buffer(body.data(), body.size())};
    ErrorCode code;
    const std::size_t count = socket_.write_some(parts, code);
    return io(count, code);
  }
  void close(Closing closing) override {
    ErrorCode ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    if (closing == Closing::kAll) {
      socket_.close(ignored);
    }
  }

  tcp::socket& get() { return socket_; }

  bool from_loopback() const override { return from_loopback_; }
  std::string_view peer() const override { return peer_; }

 private:
  // Once a connection: asking costs a system call.
  void note_peer() {
    ErrorCode code;
    const tcp::endpoint peer = socket_.remote_endpoint(code);
    if (code.failed()) {
      return;
    }
    const asio::ip::address address = peer.address();
    const bool is_mapped = address.is_v6() && address.to_v6().is_v4_mapped();
    from_loopback_ =
        is_mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback()
                  : address.is_loopback();
    peer_ = fmt::format(fmt::runtime(address.is_v6() ? "[{}]:{}" : "{}:{}"), address.to_string(),
                        peer.port());
  }
  static Io io(std::size_t count, const ErrorCode& code) {
    if (!code.failed()) {
      return {Io::Kind::kSome, count};
    }
    if (code == asio::error::would_block || code == asio::error::try_again) {
      return {Io::Kind::kAgain};
    }
    return {code == asio::error::eof ? Io::Kind::kEnd : Io::Kind::kFailed};
  }

  tcp::socket socket_;
  bool from_loopback_ = false;
  std::string peer_;
};

/// One network thread with its connections.
class Loop final : public HttpLoop, public std::enable_shared_from_this<Loop> {
 public:
  explicit Loop(HttpConnection::World world)
      : world_(world), sweep_(io_), work_(io_.get_executor()) {}

  asio::io_context& io() { return io_; }
  std::size_t connection_count() const { return count_.load(std::memory_order_relaxed); }

  void run() {
    sweep_later();
    io_.run();
    {
      const Lock lock(mutex_);
      open_ = false;
    }
    io_.restart();
    io_.poll();  // replies that came last; their connections are closed
  }

  void adopt(tcp::socket socket) {
    const auto connection = std::make_shared<HttpConnection>(
        world_, shared_from_this(), std::make_unique<Socket>(std::move(socket)));
    connections_.insert(connection);
    count_.store(connections_.size(), std::memory_order_relaxed);
    connection->start();
    if (finishing_) {
      connection->finish();
    }
  }

  void finish(TimePoint close_at) {
    finishing_ = true;
    close_at_ = close_at;
    for (const auto& connection : connections_) {
      connection->finish();
    }
    sweep();
  }

  void wait(HttpConnection& connection, Readiness readiness) override {
    tcp::socket& socket = static_cast<Socket&>(connection.socket()).get();
    const auto kind =
        readiness == Readiness::kReadable ? tcp::socket::wait_read : tcp::socket::wait_write;
    socket.async_wait(kind,
                      [this, keep = connection.shared_from_this(), readiness](ErrorCode code) {
                        if (!code.failed()) {
                          begin_round();
                          keep->on_ready(readiness);
                        }
                      });
  }
  bool here() const override { return executor_.running_in_this_thread(); }
  void post(Task task) override {
    const Lock lock(mutex_);
    if (open_) {
      asio::post(io_, std::move(task));
    }
  }

 private:
  /// What is posted comes after the connections that are ready now, and after a look for more.
  void begin_round() {
    if (in_round_ || connections_.size() < 2) {
      return;
    }
    in_round_ = true;
    world_.handler.begin_round();
    asio::post(io_, [this] {
      in_round_ = false;
      world_.handler.end_round();
    });
  }

  void sweep_later() {
    sweep_.expires_after(world_.options.sweep_period);
    sweep_.async_wait([this](ErrorCode code) {
      if (!code.failed()) {
        sweep();
      }
    });
  }

  void sweep() {
    const bool give_up = finishing_ && world_.clock.now() >= close_at_;
    for (auto each = connections_.begin(); each != connections_.end();) {
      if (give_up) {
        (*each)->close();
      } else if (!(*each)->closed()) {
        (*each)->sweep();
      }
      each = (*each)->closed() ? connections_.erase(each) : std::next(each);
    }
    count_.store(connections_.size(), std::memory_order_relaxed);
    if (finishing_ && connections_.empty()) {
      work_.reset();
      sweep_.cancel();
    } else {
      sweep_later();
    }
  }

  const HttpConnection::World world_;
  asio::io_context io_{1};  // one thread runs it
  const asio::io_context::executor_type executor_ = io_.get_executor();
  asio::steady_timer sweep_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::set<std::shared_ptr<HttpConnection>> connections_;
  std::atomic<std::size_t> count_ = 0;
  bool in_round_ = false;
  bool finishing_ = false;
  TimePoint close_at_ = TimePoint::max();
  Mutex mutex_;
  bool open_ GUARDED_BY(mutex_) = true;
};

}  // namespace

struct HttpServer::State {
  const Options options;
  HttpHandler& handler;
  const Clock& clock;
  Gauge& connections;
  Counter& refused;
  const std::function<void(int)> on_refused;
  std::vector<std::shared_ptr<Loop>> loops;
  std::unique_ptr<tcp::acceptor> acceptor;    // on the first loop
  std::unique_ptr<asio::steady_timer> pause;  // likewise
  std::vector<std::thread> threads;
  std::size_t next_loop = 0;
  std::uint16_t port = 0;

  State(Options given, HttpHandler& with_handler, const Clock& with_clock, Metrics& metrics)
      : options(std::move(given)),
        handler(with_handler),
        clock(with_clock),
        connections(metrics.gauge("braid_http_connections", "Open HTTP connections.",
                                  {{"server", options.name}})),
        refused(metrics.counter("braid_http_connections_refused_total",
                                "Connections that were closed at once: too many, or no "
                                "descriptor left.",
                                {{"server", options.name}})),
        on_refused([this, &metrics](int status) {
          metrics
              .counter("braid_http_refused_total",
                       "Requests that the connection refused by itself, by status: no valid HTTP, "
                       "too large, too slow, the server full.",
                       {{"server", options.name}, {"status", std::to_string(status)}})
              .add();
        }) {}

  Result<void> listen();
  void accept();
  void take(Loop& loop, tcp::socket socket);
  void run();
};

Result<void> HttpServer::State::listen() {
  ErrorCode code;
  const auto address = asio::ip::make_address(options.address, code);
  if (code.failed()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("'{}' is no IP address; give one such as 127.0.0.1 or 0.0.0.0",
                             options.address)};
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(options.thread_count, 1); ++i) {
    loops.push_back(
        std::make_shared<Loop>(HttpConnection::World{handler, clock, options, on_refused}));
  }
  asio::io_context& first = loops.front()->io();
  acceptor = std::make_unique<tcp::acceptor>(first);
  pause = std::make_unique<asio::steady_timer>(first);
  const tcp::endpoint endpoint(address, options.port);
  acceptor->open(endpoint.protocol(), code);
  if (!code.failed()) {
    acceptor->set_option(tcp::acceptor::reuse_address(true), code);
  }
  if (!code.failed()) {
    acceptor->bind(endpoint, code);
  }
  if (!code.failed()) {
    acceptor->listen(asio::socket_base::max_listen_connections, code);
  }
  if (code.failed()) {
    const char* cure = code == asio::error::access_denied
                           ? "ports below 1024 need the right CAP_NET_BIND_SERVICE; choose another"
                       : code == asio::error::address_in_use
                           ? "end the program that has it or choose another port (0 takes any "
                             "free one)"
                           : "give an address of this machine, or 0.0.0.0 for all";
    return Error{Code::kUnavailable,
                 fmt::format("cannot listen on {} port {}: {}; {}", options.address, options.port,
                             code.message(), cure)};
  }
  port = acceptor->local_endpoint(code).port();
  return {};
}

void HttpServer::State::accept() {
  Loop& loop = *loops[next_loop++ % loops.size()];
  acceptor->async_accept(loop.io(), [this, &loop](ErrorCode code, tcp::socket socket) {
    if (code == asio::error::operation_aborted || !acceptor->is_open()) {
      return;
    }
    if (!code.failed()) {
      take(loop, std::move(socket));
      return accept();
    }
    refused.add();
    pause->expires_after(kAcceptPause);
    pause->async_wait([this](ErrorCode stopped) {
      if (!stopped.failed() && acceptor->is_open()) {
        accept();
      }
    });
  });
}

void HttpServer::State::take(Loop& loop, tcp::socket socket) {
  std::size_t open = 1;
  for (const auto& each : loops) {
    open += each->connection_count();
  }
  connections.set(static_cast<double>(open));
  if (open > options.connections_max) {
    refused.add();
    return;  // closes it
  }
  loop.post([&loop, socket = std::move(socket)]() mutable { loop.adopt(std::move(socket)); });
}

void HttpServer::State::run() {
  accept();
  for (std::size_t i = 0; i < loops.size(); ++i) {
    threads.emplace_back([loop = loops[i], name = fmt::format("{}-{}", options.name, i)] {
      name_this_thread(name);
      loop->run();
    });
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() { stop(Duration::zero()); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(Options options, HttpHandler& handler,
                                                      const Clock& clock, Metrics& metrics) {
  auto state = std::make_unique<State>(std::move(options), handler, clock, metrics);
  BRAID_TRY_DO(state->listen());
  state->run();
  return std::make_unique<HttpServer>(std::move(state));
}

std::uint16_t HttpServer::port() const { return state_->port; }

void HttpServer::stop(Duration patience) {
  if (state_->threads.empty()) {
    return;
  }
  const TimePoint now = state_->clock.now();
  const TimePoint close_at = now + std::min(patience, TimePoint::max() - now);
  asio::post(state_->loops.front()->io(), [this] {
    ErrorCode ignored;
    state_->acceptor->close(ignored);
    state_->pause->cancel();
  });
  for (const auto& loop : state_->loops) {
    loop->post([&loop = *loop, close_at] { loop.finish(close_at); });
  }
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
  state_->threads.clear();
  state_->connections.set(0);
}

}  // namespace braid
