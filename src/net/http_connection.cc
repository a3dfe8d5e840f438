#include "net/http_connection.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr int kReadsInTurn = 16;                // then other connections of this thread have theirs
constexpr std::size_t kBodyRateMin = 16 << 10;  // bytes a second; slower senders are cut off
constexpr Duration kDrainTime = std::chrono::seconds(5);
constexpr std::size_t kDrainBytes = 1 << 20;
constexpr Duration kKeepMemory = std::chrono::seconds(1);

const char* reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

void write_head(const HttpResponse& response, bool closes, bool http_1_0, std::string& out) {
  out.clear();
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  if (!response.content_type.empty()) {
    fmt::format_to(end, "Content-Type: {}\r\n", response.content_type);
  }
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(end, "{}: {}\r\n", name, value);
  }
  if (closes || http_1_0) {
    fmt::format_to(end, "Connection: {}\r\n", closes ? "close" : "keep-alive");
  }
  fmt::format_to(end, "Content-Length: {}\r\n\r\n", response.body.size());
}

}  // namespace

using Io = HttpSocket::Io;

HttpConnection::HttpConnection(World world, std::shared_ptr<HttpLoop> loop,
                               std::unique_ptr<HttpSocket> socket)
    : world_(world),
      loop_(std::move(loop)),
      socket_(std::move(socket)),
      reader_(world.options.limits) {}

void HttpConnection::start() {
  idle_since_ = world_.clock.now();
  set_read_deadline();
  want(Readiness::kReadable);
}

void HttpConnection::on_ready(Readiness readiness) {
  if (readiness == Readiness::kReadable) {
    waits_to_read_ = false;
  }
  if (closed_) {
    return;
  }
  if (readiness == Readiness::kWritable) {
    flush();
    return resume();
  }
  switch (phase_) {
    case Phase::kReading:
      return read_more();
    case Phase::kAnswering:
      return watch_for_hang_up();
    case Phase::kDraining:
      return discard();
    case Phase::kWriting:
      return;  // resume() asks again
  }
}

void HttpConnection::read_more() {
  for (int turn = 0; turn < kReadsInTurn && phase_ == Phase::kReading && !closed_; ++turn) {
    const std::span<char> space = reader_.space();
    const Io io = socket_->read(space);
    if (io.kind == Io::Kind::kAgain) {
      break;
    }
    if (io.kind != Io::Kind::kSome) {
      return close();
    }
    reader_.commit(io.count);
    advance();
    if (io.count < space.size()) {
      break;  // the socket is empty, most likely
    }
  }
  if (phase_ == Phase::kReading) {
    want(Readiness::kReadable);
  }
}

void HttpConnection::watch_for_hang_up() {
  const std::span<char> space = reader_.space();
  if (space.empty()) {
    return;  // later requests fill the buffer; they are read after this one
  }
  const Io io = socket_->read(space);
  switch (io.kind) {
    case Io::Kind::kSome:
      reader_.commit(io.count);
      return want(Readiness::kReadable);
    case Io::Kind::kAgain:
      return want(Readiness::kReadable);
    case Io::Kind::kEnd:  // it may still read, but nearly always it is gone
      cancel_.cancel();
      close_after_ = true;
      return;
    case Io::Kind::kFailed:
      return close();
  }
}

void HttpConnection::discard() {
  char waste[16 << 10];
  for (int turn = 0; turn < kReadsInTurn; ++turn) {
    const Io io = socket_->read(waste);
    if (io.kind == Io::Kind::kAgain) {
      break;
    }
    if (io.kind != Io::Kind::kSome || io.count > discard_left_) {
      return close();
    }
    discard_left_ -= io.count;
  }
  want(Readiness::kReadable);
}

void HttpConnection::resume() {
  advance();
  if (phase_ == Phase::kReading && !closed_) {
    want(Readiness::kReadable);
  }
}

// A loop, not a recursion: a handler that answers at once must not deepen the stack with each of
// many pipelined requests.
void HttpConnection::advance() {
  if (std::exchange(advancing_, true)) {
    return;
  }
  bool waits = false;
  while (phase_ == Phase::kReading && !closed_ && !waits) {
    switch (reader_.next()) {
      case HttpReader::Step::kNeedMore:
        set_read_deadline();
        waits = true;
        break;
      case HttpReader::Step::kContinue:
        socket_->write("HTTP/1.1 100 Continue\r\n\r\n", {});
        break;
      case HttpReader::Step::kRequest:
        dispatch();
        break;
      case HttpReader::Step::kFailed:
        refuse(reader_.failure().status, reader_.failure().message);
        break;
    }
  }
  advancing_ = false;
}

void HttpConnection::dispatch() {
  phase_ = Phase::kAnswering;
  deadline_ = TimePoint::max();
  cancel_ = CancelFlag();
  HttpRequest request = reader_.request();
  if (const auto begin = std::exchange(request_begin_, std::nullopt)) {
    request.age = world_.clock.now() - *begin;
  }
  request.cancel = cancel_;
  request.from_loopback = socket_->from_loopback();
  request.peer = socket_->peer();
  head_only_ = request.method == "HEAD";
  close_after_ = finishing_ || !reader_.keep_alive();
  in_handler_ = true;
  world_.handler.handle(request, HttpReply([self = shared_from_this()](HttpResponse response) {
                          self->answer(std::move(response));
                        }));
  in_handler_ = false;
  if (given_inside_.has_value()) {
    begin_write(*std::exchange(given_inside_, std::nullopt));
  } else {
    want(Readiness::kReadable);
  }
}

// From any thread: only the loop's own may look at the rest.
void HttpConnection::answer(HttpResponse response) {
  if (loop_->here() && in_handler_) {
    given_inside_ = std::move(response);
    return;
  }
  loop_->post([self = shared_from_this(), response = std::move(response)]() mutable {
    if (!self->closed_) {
      self->begin_write(std::move(response));
      self->resume();
    }
  });
}

void HttpConnection::begin_write(HttpResponse response) {
  phase_ = Phase::kWriting;
  write_head(response, close_after_, reader_.is_http_1_0(), out_head_);
  out_body_ = head_only_ ? std::string() : std::move(response.body);
  out_sent_ = 0;
  flush();
}

void HttpConnection::refuse(int status, std::string_view message) {
  world_.on_refused(status);
  close_after_ = true;
  head_only_ = false;
  begin_write(http_error(status, message));
}

void HttpConnection::flush() {
  const std::size_t size = out_head_.size() + out_body_.size();
  while (out_sent_ < size) {
    const std::string_view head(out_head_);
    const std::string_view body(out_body_);
    const Io io =
        socket_->write(head.substr(std::min(out_sent_, head.size())),
                       body.substr(out_sent_ > head.size() ? out_sent_ - head.size() : 0));
    if (io.kind == Io::Kind::kAgain) {
      deadline_ = world_.clock.now() + world_.options.idle_timeout;
      return want(Readiness::kWritable);
    }
    if (io.kind != Io::Kind::kSome) {
      return close();
    }
    out_sent_ += io.count;
  }
  written();
}

void HttpConnection::written() {
  idle_since_ = world_.clock.now();
  if (!close_after_) {
    reader_.reset();
    phase_ = Phase::kReading;
    set_read_deadline();
    return;
  }
  // What the client still sends is read and dropped: closing on unread bytes would make the
  // kernel send a reset, which may overtake the answer.
  phase_ = Phase::kDraining;
  deadline_ = idle_since_ + kDrainTime;
  const int failure = reader_.failure().status;
  const bool is_upload = failure == 413 || failure == 503;  // many clients read when all is sent
  discard_left_ = is_upload ? world_.options.limits.body_bytes_max : kDrainBytes;
  socket_->close(HttpSocket::Closing::kOutput);
  want(Readiness::kReadable);
}

void HttpConnection::want(Readiness readiness) {
  if (closed_ || (readiness == Readiness::kReadable && std::exchange(waits_to_read_, true))) {
    return;
  }
  loop_->wait(*this, readiness);
}

void HttpConnection::set_read_deadline() {
  const HttpServer::Options& options = world_.options;
  if (reader_.idle()) {
    deadline_ = idle_since_ + options.idle_timeout;
    return;
  }
  const TimePoint now = world_.clock.now();
  request_begin_ = request_begin_.value_or(now);
  if (!reader_.in_body()) {
    deadline_ = *request_begin_ + options.header_timeout;
    return;
  }
  const auto fair = std::chrono::seconds(reader_.body_bytes() / kBodyRateMin);
  deadline_ = std::min(now, *request_begin_ + fair) + options.idle_timeout;
}

void HttpConnection::sweep() {
  const TimePoint now = world_.clock.now();
  const bool idle = phase_ == Phase::kReading && reader_.idle();
  if (idle && now - idle_since_ >= kKeepMemory && !out_head_.empty()) {
    reader_.release();
    out_head_ = {};
    out_body_ = {};
  }
  if (now < deadline_) {
    return;
  }
  if (phase_ != Phase::kReading || idle) {
    return close();
  }
  refuse(408, "the request did not arrive in time");
}

void HttpConnection::finish() {
  finishing_ = true;
  close_after_ = true;
  if (phase_ == Phase::kReading && reader_.idle()) {
    close();
  }
}

void HttpConnection::close() {
  if (!std::exchange(closed_, true)) {
    cancel_.cancel();
    socket_->close(HttpSocket::Closing::kAll);
  }
}

}  // namespace braid
