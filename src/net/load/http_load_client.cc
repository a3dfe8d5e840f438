#include "net/load/http_load_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/check.h"
#include "net/load/answer_reader.h"

namespace braid {
namespace {

constexpr std::size_t kKeptMax = 2048;               // of a body, to tell why it is an error
constexpr std::uint64_t kTimer = ~std::uint64_t{0};  // epoll's tag; connections have their index

/// Rings at a point of steady_clock's time, which is the system's monotonic clock. It is exact to
/// some microseconds, where a time-out of epoll itself is whole milliseconds.
class Timer {
 public:
  Timer() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    BRAID_CHECK(timer_.descriptor() >= 0);
  }
  int descriptor() const { return timer_.descriptor(); }
  void set(TimePoint at) {
    if (at == at_) {
      return;
    }
    at_ = at;
    const auto nanoseconds =
        std::max<std::int64_t>(1, std::chrono::nanoseconds(at.time_since_epoch()).count());
    itimerspec when{};  // zero stops it
    if (at != TimePoint::max()) {
      when.it_value = {.tv_sec = nanoseconds / 1'000'000'000,
                       .tv_nsec = nanoseconds % 1'000'000'000};
    }
    ::timerfd_settime(timer_.descriptor(), TFD_TIMER_ABSTIME, &when, nullptr);
  }
  void rang() {
    std::uint64_t times = 0;
    static_cast<void>(::read(timer_.descriptor(), &times, sizeof times));
    at_ = TimePoint::max();
  }

 private:
  LoadSocket timer_;
  TimePoint at_ = TimePoint::max();
};

struct Connection {
  enum class Phase { kIdle, kConnecting, kSending, kReceiving };

  LoadSocket socket = {};
  Phase phase = Phase::kIdle;
  bool wants_writable = false;
  std::string_view unsent = {};
  std::string lost = {};  // why the last request got no answer
  AnswerReader reader{kKeptMax};
};

}  // namespace

struct HttpLoadClient::State {
  State(ServerAddress to, Requests all)
      : address(std::move(to)),
        requests(std::move(all)),
        poll(::epoll_create1(EPOLL_CLOEXEC)),
        buffer(std::make_unique<std::array<char, 256 << 10>>()) {
    BRAID_CHECK(poll.descriptor() >= 0);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = kTimer}};
    ::epoll_ctl(poll.descriptor(), EPOLL_CTL_ADD, timer.descriptor(), &event);
  }

  void watch(std::size_t index, bool writable, int operation) {
    Connection& connection = connections[index];
    connection.wants_writable = writable;
    epoll_event event{.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN, .data = {.u64 = index}};
    ::epoll_ctl(poll.descriptor(), operation, connection.socket.descriptor(), &event);
  }
  void want_writable(std::size_t index, bool writable) {
    if (connections[index].wants_writable != writable) {
      watch(index, writable, EPOLL_CTL_MOD);
    }
  }

  void hang_up(Connection& connection) {
    connection.socket.close();  // leaves epoll by itself
    connection.phase = Connection::Phase::kIdle;
    connection.unsent = {};
  }
  void lose(std::size_t index, std::string why) {
    Connection& connection = connections[index];
    const bool was_asked = connection.phase != Connection::Phase::kIdle;
    hang_up(connection);
    if (was_asked) {
      connection.lost = std::move(why);
      answers.push_back({index, false, LoadAnswer::kLost, connection.lost});
    }
  }

  void begin(std::size_t index);
  void flush(std::size_t index);
  void receive(std::size_t index);
  void on_event(std::size_t index, std::uint32_t events);

  const ServerAddress address;
  const Requests requests;
  LoadSocket poll;  // epoll's descriptor
  Timer timer;
  std::vector<Connection> connections;
  std::unique_ptr<std::array<char, 256 << 10>> buffer;
  std::vector<LoadAnswer> answers;  // not handed over yet
};

void HttpLoadClient::State::begin(std::size_t index) {
  Connection& connection = connections[index];
  connection.reader.reset();
  if (connection.socket.descriptor() >= 0) {
    connection.phase = Connection::Phase::kSending;
    return flush(index);
  }
  Result<LoadSocket> socket = begin_connect(address);
  connection.phase = Connection::Phase::kConnecting;
  if (!socket.has_value()) {
    return lose(index, socket.error().message);
  }
  connection.socket = *std::move(socket);
  watch(index, true, EPOLL_CTL_ADD);
}

void HttpLoadClient::State::flush(std::size_t index) {
  Connection& connection = connections[index];
  while (!connection.unsent.empty()) {
    const ssize_t sent = ::send(connection.socket.descriptor(), connection.unsent.data(),
                                connection.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      return want_writable(index, true);
    }
    if (sent < 0 && errno != EINTR) {
      connection.unsent = {};  // it may have answered before it closed; receive() will tell
      break;
    }
    connection.unsent.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  connection.phase = Connection::Phase::kReceiving;
  want_writable(index, false);
}

void HttpLoadClient::State::receive(std::size_t index) {
  Connection& connection = connections[index];
  const ssize_t count = ::recv(connection.socket.descriptor(), buffer->data(), buffer->size(), 0);
  if (count < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      lose(index, std::strerror(errno));
    }
    return;
  }
  if (connection.phase == Connection::Phase::kIdle) {
    return lose(index, "");  // closed, or talks without being asked
  }
  std::string_view bytes(buffer->data(), static_cast<std::size_t>(count));
  AnswerReader& reader = connection.reader;
  const AnswerReader::Step step = count == 0 ? reader.end() : reader.take(bytes);
  if (step == AnswerReader::Step::kNeedMore) {
    return;
  }
  if (step == AnswerReader::Step::kFailed || !bytes.empty()) {
    return lose(index, step == AnswerReader::Step::kFailed ? reader.failure()
                                                           : "bytes behind the end of the answer");
  }
  const bool good = reader.status() >= 200 && reader.status() < 300;
  answers.push_back({index, good, reader.status(), good ? std::string_view() : reader.body()});
  const bool is_sent = connection.unsent.empty();
  connection.phase = Connection::Phase::kIdle;
  if (!reader.keep_alive() || !is_sent) {
    hang_up(connection);
  }
}

void HttpLoadClient::State::on_event(std::size_t index, std::uint32_t events) {
  Connection& connection = connections[index];
  if (connection.phase == Connection::Phase::kConnecting) {
    if (std::string failure = connect_failure(connection.socket); !failure.empty()) {
      return lose(index, "cannot connect: " + failure);
    }
    connection.phase = Connection::Phase::kSending;
  }
  if ((events & EPOLLOUT) != 0 && connection.phase == Connection::Phase::kSending) {
    flush(index);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && connection.socket.descriptor() >= 0) {
    receive(index);
  }
}

Result<std::unique_ptr<LoadClient>> HttpLoadClient::open(const ServerAddress& address,
                                                         std::size_t connection_count,
                                                         Requests requests, Duration patience) {
  auto state = std::make_unique<State>(address, std::move(requests));
  state->connections.resize(connection_count);
  for (std::size_t i = 0; i < connection_count; ++i) {
    Result<LoadSocket> socket = connect_to(address, patience);
    if (!socket.has_value()) {
      return std::move(socket).error().within(
          fmt::format("connection {} of {}", i + 1, connection_count));
    }
    state->connections[i].socket = *std::move(socket);
    state->watch(i, false, EPOLL_CTL_ADD);
  }
  return std::unique_ptr<LoadClient>(std::make_unique<HttpLoadClient>(std::move(state)));
}

HttpLoadClient::HttpLoadClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpLoadClient::~HttpLoadClient() = default;

void HttpLoadClient::send(std::size_t connection, std::size_t request_index) {
  Connection& to = state_->connections[connection];
  BRAID_CHECK(to.phase == Connection::Phase::kIdle);
  to.unsent = (*state_->requests)[request_index];
  state_->begin(connection);
}

void HttpLoadClient::abandon(std::size_t connection) {
  state_->hang_up(state_->connections[connection]);
  std::erase_if(state_->answers,
                [&](const LoadAnswer& each) { return each.connection == connection; });
}

void HttpLoadClient::wait(TimePoint until, std::vector<LoadAnswer>& answers) {
  if (state_->answers.empty()) {
    state_->timer.set(until);
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(state_->poll.descriptor(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kTimer) {
        state_->timer.rang();
      } else {
        state_->on_event(event.data.u64, event.events);
      }
    }
  }
  answers.insert(answers.end(), state_->answers.begin(), state_->answers.end());
  state_->answers.clear();
}

}  // namespace braid
