// A2: what HTTP binary inference costs over its parts. At one connection, in one process run, round
// by round in turn: a bare Beast echo of as many bytes, a bare ONNX Runtime run of the same model,
// the whole server. Prints the median time of each and full - (echo + bare), as JSON; and, to tell
// where it goes, a Beast server that runs the model in its handler (a thread that has just been
// woken runs slower than one that never slept), a request of health, and the service without
// sockets.
//
//   http_bench REPOSITORY MODEL [ROUNDS] [REQUESTS]      bench/a2_http.sh makes the repository
//
// The model: one FP32 input [-1, n], one FP32 output.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>  // before Asio, which forgets it and g++ 12 notices
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <onnxruntime_cxx_api.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_server.h"
#include "net/service.h"
#include "net/test_client.h"

namespace braid {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;

/// Beast as its own examples use it: one connection, string bodies, everything asynchronous.
class EchoServer {
 public:
  explicit EchoServer(std::size_t answer_bytes, std::function<void()> work = nullptr)
      : answer_(answer_bytes, 'x'),
        work_(std::move(work)),
        acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        socket_(io_) {
    buffer_.reserve(64 << 10);
    acceptor_.async_accept(socket_, [this](boost::system::error_code) {
      socket_.set_option(tcp::no_delay(true));
      read();
    });
    thread_ = std::thread([this] { io_.run(); });
  }
  ~EchoServer() {
    io_.stop();
    thread_.join();
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [this](boost::system::error_code code, std::size_t) {
                       if (!code.failed()) {
                         write();
                       }
                     });
  }
  void write() {
    if (work_) {
      work_();
    }
    response_ = {http::status::ok, request_.version()};
    response_.set(http::field::content_type, "application/octet-stream");
    response_.body() = answer_;
    response_.prepare_payload();
    http::async_write(socket_, response_, [this](boost::system::error_code code, std::size_t) {
      if (!code.failed()) {
        read();
      }
    });
  }

  const std::string answer_;
  const std::function<void()> work_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  std::thread thread_;
};

/// One session, one thread, the tensor made anew for each run as a server must.
class BareRun {
 public:
  explicit BareRun(const std::string& file) : session_(environment_, file.c_str(), options()) {
    Ort::AllocatorWithDefaultOptions allocator;
    input_name_ = session_.GetInputNameAllocated(0, allocator).get();
    output_name_ = session_.GetOutputNameAllocated(0, allocator).get();
    const auto shape = session_.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape();
    shape_ = {1, shape.back()};
    values_.assign(static_cast<std::size_t>(shape.back()), 0.5F);
  }
  void run() {
    const Ort::Value input = Ort::Value::CreateTensor<float>(
        memory_, values_.data(), values_.size(), shape_.data(), shape_.size());
    const char* input_name = input_name_.c_str();
    const char* output_name = output_name_.c_str();
    const auto outputs = session_.Run(Ort::RunOptions(), &input_name, &input, 1, &output_name, 1);
    sum_ += outputs.front().GetTensorData<float>()[0];
  }
  std::size_t width() const { return values_.size(); }
  const std::string& input_name() const { return input_name_; }

 private:
  static Ort::SessionOptions options() {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    options.AddConfigEntry("session.intra_op.allow_spinning", "0");
    return options;
  }

  Ort::Env environment_{ORT_LOGGING_LEVEL_ERROR, "bare"};
  Ort::Session session_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::string input_name_;
  std::string output_name_;
  std::vector<std::int64_t> shape_;
  std::vector<float> values_;
  float sum_ = 0;
};

/// A client that knows how long its answers are. It spins: what an idle virtual machine takes to
/// wake it up grows with the time that it waited, and is no cost of the server.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int failed =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    BRAID_CHECK(failed == 0);
  }
  ~Client() { ::close(socket_); }

  /// Returns the answer's first bytes; it is whole when its last header says Content-Length.
  void ask(const std::string& request) {
    const ssize_t sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
    BRAID_CHECK(sent == static_cast<ssize_t>(request.size()));
    std::size_t have = 0;
    while (answer_bytes_ == 0 || have < answer_bytes_) {
      const ssize_t got = ::recv(socket_, buffer_ + have, sizeof buffer_ - have, MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) {
        continue;
      }
      BRAID_CHECK(got > 0);
      have += static_cast<std::size_t>(got);
      if (answer_bytes_ == 0) {
        answer_bytes_ = whole_size(std::string_view(buffer_, have));
      }
    }
    BRAID_CHECK(std::string_view(buffer_, have).starts_with("HTTP/1.1 200 "));
  }
  std::size_t answer_bytes() const { return answer_bytes_; }

 private:
  static std::size_t whole_size(std::string_view head) {
    const std::size_t end = head.find("\r\n\r\n");
    const std::size_t length = head.find("Content-Length: ");
    if (end == std::string_view::npos || length == std::string_view::npos) {
      return 0;
    }
    return end + 4 + std::strtoul(head.data() + length + 16, nullptr, 10);
  }

  int socket_;
  char buffer_[64 << 10];
  std::size_t answer_bytes_ = 0;
};

double median_us(std::size_t count, const std::function<void()>& once) {
  std::vector<double> times;
  times.reserve(count);
  const SystemClock clock;
  for (std::size_t i = 0; i < count; ++i) {
    const TimePoint begin = clock.now();
    once();
    times.push_back(std::chrono::duration<double, std::micro>(clock.now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(count / 2));
  return times[count / 2];
}

std::string summary(std::vector<double> values) {
  std::ranges::sort(values);
  return fmt::format("{{\"min\": {:.2f}, \"median\": {:.2f}, \"max\": {:.2f}}}", values.front(),
                     values[values.size() / 2], values.back());
}

std::string infer_request(const BareRun& bare, const std::string& model) {
  const std::string json = fmt::format(
      "{{\"inputs\":[{{\"name\":\"{}\",\"shape\":[1,{}],\"datatype\":\"FP32\",\"parameters\":"
      "{{\"binary_data_size\":{}}}}}],\"parameters\":{{\"binary_data_output\":true}}}}",
      bare.input_name(), bare.width(), bare.width() * 4);
  std::string blob;
  for (std::size_t i = 0; i < bare.width(); ++i) {
    blob += std::string("\x00\x00\x00\x3f", 4);
  }
  return http_request("POST", "/v2/models/" + model + "/infer", json + blob,
                      fmt::format("Content-Type: application/octet-stream\r\n"
                                  "Inference-Header-Content-Length: {}\r\n",
                                  json.size()));
}

/// The service without sockets, with the request that the reader made of the bytes.
class Direct {
 public:
  Direct(Service& service, const std::string& bytes) : service_(service), reader_({}) {
    for (std::string_view rest = bytes; reader_.next() == HttpReader::Step::kNeedMore;) {
      const std::span<char> space = reader_.space();
      const std::size_t count = std::min(space.size(), rest.size());
      std::memcpy(space.data(), rest.data(), count);
      rest.remove_prefix(count);
      reader_.commit(count);
    }
  }
  void ask() {
    bool answered = false;
    service_.handle(reader_.request(),
                    HttpReply([&](HttpResponse response) { answered = response.status == 200; }));
    BRAID_CHECK(answered);  // inline: the model is quick and a slot is idle
  }

 private:
  Service& service_;
  HttpReader reader_;
};

struct Measured {
  const char* name;
  std::function<void()> once;
  std::vector<double> medians = {};
};

/// Round by round in turn, so that what else the machine does falls on all of them.
void measure(std::vector<Measured>& all, std::size_t rounds, std::size_t requests) {
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (Measured& each : all) {
      const double median = median_us(requests, each.once);
      if (round > 0) {  // the first one warms up
        each.medians.push_back(median);
      }
    }
  }
}

int run(const std::string& repository, const std::string& model, std::size_t rounds,
        std::size_t requests) {
  const SystemClock clock;
  Metrics metrics;
  Registry<Backend> backends("model runtime");
  register_model_backends(backends);
  ModelStore store({.repositories = {repository}}, backends);
  if (const Result<void> loaded = store.load(model); !loaded.has_value()) {
    std::fprintf(stderr, "%s\n", loaded.error().describe().c_str());
    return 1;
  }
  Dispatcher dispatcher({}, clock, metrics);
  Engine engine({}, clock, dispatcher, metrics);
  Service service(engine, dispatcher, store, metrics, clock);
  auto started = HttpServer::start({}, service, clock, metrics);
  BRAID_CHECK(started.has_value());
  const std::unique_ptr<HttpServer> server = *std::move(started);

  BareRun bare(repository + "/" + model + "/1/model.onnx");
  const std::string request = infer_request(bare, model);
  const std::string live_request = http_request("GET", "/v2/health/live");
  Client full(server->port());
  full.ask(request);
  EchoServer echo_server(full.answer_bytes() - 82);  // less what its head has
  Client echo(echo_server.port());
  echo.ask(request);
  EchoServer bare_server(full.answer_bytes() - 82, [&] { bare.run(); });
  Client bare_client(bare_server.port());
  bare_client.ask(request);
  Client live(server->port());
  Direct direct(service, request);

  std::vector<Measured> all = {{"echo_us", [&] { echo.ask(request); }},
                               {"bare_us", [&] { bare.run(); }},
                               {"full_us", [&] { full.ask(request); }},
                               {"bare_server_us", [&] { bare_client.ask(request); }},
                               {"live_us", [&] { live.ask(live_request); }},
                               {"service_us", [&] { direct.ask(); }}};
  measure(all, rounds, requests);
  std::vector<double> over;
  std::vector<double> over_server;
  for (std::size_t i = 0; i < rounds; ++i) {
    over.push_back(all[2].medians[i] - all[0].medians[i] - all[1].medians[i]);
    over_server.push_back(all[2].medians[i] - all[3].medians[i]);
  }
  fmt::print(
      "{{\"what\": \"A2\", \"rounds\": {}, \"requests\": {}, \"request_bytes\": {}, "
      "\"answer_bytes\": {},\n",
      rounds, requests, request.size(), full.answer_bytes());
  for (const Measured& each : all) {
    fmt::print(" \"{}\": {},\n", each.name, summary(each.medians));
  }
  fmt::print(" \"over_server_us\": {},\n \"over_us\": {}}}\n", summary(over_server), summary(over));
  return 0;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: http_bench REPOSITORY MODEL [ROUNDS] [REQUESTS]\n");
    return 2;
  }
  const std::size_t rounds = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 11;
  const std::size_t requests = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 2000;
  return braid::run(argv[1], argv[2], std::max<std::size_t>(rounds, 1),
                    std::max<std::size_t>(requests, 1));
}
