// A whole load against a server in this process: the real HTTP server with a handler that does what
// each test says. Times are only held against what they can never be below.

#include "net/load/load.h"

#include <atomic>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/alarm.h"
#include "net/http_server.h"
#include "net/load/load_request.h"
#include "net/load/served_model.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FakeServer final : public HttpHandler {
 public:
  using Answer = std::function<HttpResponse(std::size_t nth)>;

  explicit FakeServer(Answer answer, Duration delay = 0ms)
      : answer_(std::move(answer)), delay_(delay), alarm_(clock_) {
    auto started = HttpServer::start({.thread_count = 2}, *this, clock_, metrics_);
    BRAID_CHECK(started.has_value());
    server_ = *std::move(started);
  }
  ~FakeServer() override { server_->stop(0s); }

  /// After the delay, and at once where there is none.
  void handle(const HttpRequest& request, HttpReply reply) override {
    const std::string target(request.target);
    if (const auto page = pages.find(target); page != pages.end()) {
      return std::move(reply)(page->second);
    }
    const std::size_t nth = seen_++;
    if (delay_ == 0ms) {
      return std::move(reply)(answer_(nth));
    }
    alarm_.set(clock_.now() + delay_,
               [this, nth, reply = std::move(reply)]() mutable { std::move(reply)(answer_(nth)); });
  }
  ServerAddress address(const std::string& path = "") const {
    return *parse_address(fmt::format("http://127.0.0.1:{}{}", server_->port(), path));
  }
  std::size_t seen() const { return seen_; }

  std::map<std::string, HttpResponse> pages;  // by target; filled before the first request

 private:
  const SystemClock clock_;
  const Answer answer_;
  const Duration delay_;
  Metrics metrics_;
  std::atomic<std::size_t> seen_ = 0;
  Alarm alarm_;
  std::unique_ptr<HttpServer> server_;
};

LoadOptions options_for(const FakeServer& server) {
  LoadOptions options;
  options.server = server.address();
  options.model = "m";
  options.requests = std::make_shared<const std::vector<std::string>>(
      std::vector{plain_bytes(options.server, "/infer", "{}")});
  options.warm_up = 20ms;
  options.window = 200ms;
  return options;
}

HttpResponse ok(std::size_t) { return {.body = "{}"}; }

TEST(Load, ClosedLoopMeasuresWhatTheServerTakes) {
  FakeServer server(ok, 20ms);
  LoadOptions options = options_for(server);
  options.connection_count = 4;
  options.thread_count = 2;
  const auto result = run_load(options, SystemClock());
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_GE(result->tally.good, 1U);
  EXPECT_LE(result->tally.good, 4U * 11U);  // 200 ms hold 10 answers a connection, and one's end
  EXPECT_GE(result->tally.latency.percentile(0), 20ms - 20us);
  EXPECT_EQ(result->tally.failed(), 0U);
}

TEST(Load, OpenLoopSendsEveryArrivalOnce) {
  FakeServer server(ok);
  LoadOptions options = options_for(server);
  options.connection_count = 8;
  options.thread_count = 3;
  options.warm_up = 0ms;
  options.arrivals = *poisson_arrivals(1000, 200ms, 1);
  const auto result = run_load(options, SystemClock());
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(server.seen(), options.arrivals->size());
  EXPECT_EQ(result->tally.good, options.arrivals->size());
}

TEST(Load, OpenLoopCountsRefusalsByStatus) {
  FakeServer server([](std::size_t nth) {
    return nth % 4 == 0 ? http_error(503, "queue full") : HttpResponse{.body = "{}"};
  });
  LoadOptions options = options_for(server);
  options.warm_up = 0ms;
  options.arrivals = Arrivals(100, 0ms);
  const auto result = run_load(options, SystemClock());
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(result->tally.good, 75U);
  EXPECT_EQ(result->tally.failures.at(503).count, 25U);
  EXPECT_EQ(result->tally.failures.at(503).text, R"({"error":"queue full"})");
}

TEST(Load, TellsTheBatchAndTheCpu) {
  FakeServer server(ok);
  server.pages["/metrics"] = {.body =
                                  "nv_inference_count{model=\"m\"} 8\n"
                                  "nv_inference_exec_count{model=\"m\"} 2\n"};
  LoadOptions options = options_for(server);
  options.pid = ::getpid();
  options.metrics = server.address();
  const auto result = run_load(options, SystemClock());
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_TRUE(result->server_cpu.has_value());
  ASSERT_TRUE(result->batches.has_value());
  EXPECT_EQ(result->batches->rows, 0);  // the page stood still
  EXPECT_FALSE(result->rows_a_run().has_value());
  options.metrics = server.address("/nothing/here");
  EXPECT_THAT(run_load(options, SystemClock()).error().describe(), HasSubstr("looked for"));
}

TEST(Load, AFirstTrySaysWhyARequestIsRefused) {
  FakeServer server([](std::size_t) { return http_error(400, "input 'x' is missing"); });
  const auto tried = try_one(options_for(server));
  ASSERT_FALSE(tried.has_value());
  EXPECT_EQ(tried.error().code, Code::kInvalidArgument);
  EXPECT_THAT(tried.error().describe(),
              HasSubstr("refuses the request: HTTP 400: input 'x' is missing"));
}

TEST(Load, SaysThatTheServerIsNotThereOrSilent) {
  LoadOptions options;
  {
    FakeServer server(ok);
    options = options_for(server);
  }
  const auto gone = try_one(options);
  EXPECT_EQ(gone.error().code, Code::kUnavailable);
  EXPECT_THAT(gone.error().describe(), HasSubstr("is the server running there"));
  FakeServer silent(ok, 1h);
  options = options_for(silent);
  options.timeout = 10ms;
  EXPECT_EQ(try_one(options).error().code, Code::kDeadlineExceeded);
  options.server.protocol = LoadProtocol::kGrpc;
  options.timeout = 30s;
  EXPECT_THAT(try_one(options).error().describe(), HasSubstr("speaks no gRPC"));
}

TEST(Load, NamesTheNearestModel) {
  FakeServer server([](std::size_t) { return http_error(404, "no such model"); });
  server.pages["/v2/repository/index"] = {.body = R"([{"name":"resnet50"},{"name":"bert"}])"};
  server.pages["/v2/models/bert"] = {
      .body = R"({"name":"bert","platform":"onnx","inputs":[],"outputs":[]})"};
  EXPECT_TRUE(fetch_served_model(server.address(), "bert", 10s).has_value());
  const auto near = fetch_served_model(server.address(), "resnet5O", 10s);
  EXPECT_EQ(near.error().code, Code::kNotFound);
  EXPECT_THAT(near.error().message, HasSubstr("HTTP 404: no such model; did you mean 'resnet50'?"));
  EXPECT_THAT(fetch_served_model(server.address(), "zebra", 10s).error().message,
              HasSubstr("it serves: bert, resnet50"));
}

}  // namespace
}  // namespace braid
