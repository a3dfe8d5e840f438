// Limits and the access log of a whole service: what is beyond a limit is answered with its number,
// on a connection that goes on.

#include <future>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_server.h"
#include "net/service.h"
#include "net/test_client.h"
#include "serve/fake_world.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPipeline = R"(
name: test
decision: {classes: [yes, no]}
inputs: {left: {modality: number}, right: {modality: number}}
branches:
  a: {inputs: [left], variants: [binary]}
  b: {inputs: [right], variants: [binary]}
fusion: {decision: {op: mean, inputs: [a, b]}}
)";

/// 5000 blanks: Python's gzip.compress(b" " * 5000, mtime=0).
const std::string kBlanks(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\x2a\xeb\x9f"
    "\xd2\x14\x7e\x40\x01\x00\x00\x00\x00\x6f\x03\x60\x2c\x0b\x87\x88\x13\x00\x00",
    41);

class ServiceLimitsTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.add_model("binary", "binary");
    ASSERT_TRUE(world_.publish(kPipeline).has_value());
    service_ = std::make_unique<Service>(
        *world_.engine, *world_.dispatcher, *world_.store, world_.metrics, clock_,
        Service::Options{.json_depth_max = 4,
                         .credits = &credits_,
                         .protocol = {.access_log = &log_, .elements_max = 4}});
    auto started =
        HttpServer::start({.limits = {.credits = &credits_}}, *service_, clock_, world_.metrics);
    ASSERT_TRUE(started.has_value()) << started.error().describe();
    server_ = *std::move(started);
    client_ = std::make_unique<TestClient>(server_->port());
  }
  void TearDown() override {
    server_.reset();
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  static std::string rows(std::size_t count) {
    std::string data = "0.5";
    for (std::size_t i = 1; i < count; ++i) {
      data += ",0.5";
    }
    return fmt::format(
        R"({{"id": "oip-7", "inputs": [{{"name": "x", "datatype": "FP32", "shape": [{}, 1],)"
        R"("data": [{}]}}]}})",
        count, data);
  }
  /// The value of `key` in the log line of this index.
  std::string logged(std::size_t index, const char* key) {
    const Lock lock(mutex_);
    const Result<Json> line = index < lines_.size() ? Json::parse(lines_[index]) : Json();
    const Json* value = line.has_value() ? line->find(key) : nullptr;
    return value == nullptr ? "" : value->text() != nullptr ? *value->text() : value->dump();
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
  Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
  const AccessLog log_{AccessLog::Format::kJson, true,
                       [this](std::string_view line) {
                         const Lock lock(mutex_);
                         lines_.emplace_back(line);
                       },
                       clock_};
  ByteCredits credits_{4096};
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(ServiceLimitsTest, ATensorHasAtMostSoManyElements) {
  EXPECT_EQ(client_->ask("POST", "/v2/models/binary/infer", rows(4)).status, 200);
  const auto refused = client_->ask("POST", "/v2/models/binary/infer", rows(5));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("input 'x' has 5 elements; this server takes 4 at most"));
  EXPECT_EQ(client_->ask("GET", "/v2/health/ready").status, 200);
}

TEST_F(ServiceLimitsTest, JsonNestsSoDeep) {
  const char* target = "/v2/pipelines/test/decide";
  EXPECT_EQ(client_->ask("POST", target, R"({"inputs": {"left": 0.5, "right": 0.5}})").status, 200);
  const auto refused = client_->ask("POST", target, R"({"inputs": {"left": [[[1]]]}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("deeper than the limit of 4 levels"));
  EXPECT_EQ(client_->ask("POST", "/v2/logging", "[[[[[1]]]]]").status, 400);
}

// Small on the wire, large in memory: what inflating adds is claimed too.
TEST_F(ServiceLimitsTest, InflatedBytesAreClaimed) {
  const auto refused =
      client_->ask("POST", "/v2/models/binary/infer", kBlanks, "Content-Encoding: gzip\r\n");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("4096 at most"));
  EXPECT_EQ(client_->ask("GET", "/v2/health/ready").status, 200);
  EXPECT_EQ(credits_.bytes_held(), 0U);
}

// One client holds most of the credits with a body that it never finishes; the other is refused in
// words, and comes in when the first has gone.
TEST_F(ServiceLimitsTest, BodiesShareTheServersCredits) {
  auto hoarder = std::make_unique<TestClient>(server_->port());
  hoarder->send(
      "POST /v2/models/binary/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n{");
  while (credits_.bytes_held() < 4000) {
    std::this_thread::yield();
  }
  const auto refused = client_->ask("POST", "/v2/models/binary/infer", rows(4));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("holds 4000 bytes"));
  hoarder.reset();
  while (credits_.bytes_held() > 0) {
    std::this_thread::yield();
  }
  TestClient again(server_->port());
  EXPECT_EQ(again.ask("POST", "/v2/models/binary/infer", rows(4)).status, 200);
}

TEST_F(ServiceLimitsTest, LogsEachRequestUnderItsId) {
  const auto named =
      client_->ask("POST", "/v2/models/binary/infer", rows(2), "X-Request-Id: me\r\n");
  EXPECT_EQ(named.headers.at("x-request-id"), "me");
  const auto inferred = client_->ask("POST", "/v2/models/binary/infer", rows(2));
  EXPECT_EQ(inferred.headers.at("x-request-id"), "oip-7");
  const auto decided =
      client_->ask("POST", "/v2/pipelines/test/decide", R"({"inputs": {"left": "0.5"}})");
  const std::string id = *Json::parse(decided.body)->find("id")->text();
  client_->ask("GET", "/nothing/here");

  EXPECT_EQ(logged(0, "id"), "me");
  EXPECT_EQ(logged(0, "call"), "infer");
  EXPECT_EQ(logged(0, "name"), "binary");
  EXPECT_EQ(logged(0, "status"), "200");
  EXPECT_EQ(logged(0, "in"), std::to_string(rows(2).size()));
  EXPECT_EQ(logged(0, "out"), std::to_string(named.body.size()));
  EXPECT_TRUE(logged(0, "peer").starts_with("127.0.0.1:"));
  EXPECT_EQ(logged(1, "id"), "oip-7");
  EXPECT_EQ(logged(2, "id"), id);  // the decision's own, so that both can be found
  EXPECT_EQ(decided.headers.at("x-request-id"), id);
  EXPECT_EQ(logged(3, "call"), "none");
  EXPECT_EQ(logged(3, "status"), "404");
  EXPECT_EQ(logged(3, "id").size(), 36U);  // a UUID
}

TEST_F(ServiceLimitsTest, NeverLogsWhatWasSent) {
  client_->ask("POST", "/v2/pipelines/test/decide", R"({"inputs": {"left": "secret"}})");
  client_->ask("POST", "/v2/models/binary/infer", R"({"secret": 1})");
  client_->ask("GET", "/v2/models/binary?secret");
  const Lock lock(mutex_);
  ASSERT_EQ(lines_.size(), 3U);
  for (const std::string& line : lines_) {
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  }
}

// A large body takes its time to arrive; the client has waited since its first byte.
TEST_F(ServiceLimitsTest, ATimeoutRunsFromTheFirstByte) {
  const auto status_at = [&](const char* target, const std::string& json, Duration age) {
    const Body body = Body::copy_of(json);
    std::promise<int> status;
    service_->handle(
        {.method = "POST", .target = target, .headers = {}, .body = body, .age = age},
        HttpReply([&](const HttpResponse& response) { status.set_value(response.status); }));
    return status.get_future().get();
  };
  const std::string model =
      R"({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [1]}],)"
      R"("parameters": {"timeout": 900000000}})";
  const std::string cases = R"({"inputs": {"left": "1"}, "deadline_ms": 900000})";
  for (const auto& [target, json] : {std::pair("/v2/models/binary/infer", model),
                                     std::pair("/v2/pipelines/test/decide", cases)}) {
    EXPECT_EQ(status_at(target, json, 1s), 200) << target;
    EXPECT_GE(status_at(target, json, 901s), 503) << target;
  }
}

}  // namespace
}  // namespace braid
