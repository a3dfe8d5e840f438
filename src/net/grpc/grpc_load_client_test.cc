// The load client over gRPC against the real server in this process, with models that answer, fail
// or hang.

#include "net/grpc/grpc_load_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/grpc/grpc_load_request.h"
#include "net/grpc/grpc_server.h"
#include "net/load/load.h"
#include "serve/fake_world.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;

class GrpcLoadTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"binary", "hang"}) {
      world_.add_model(name, name);
    }
    protocol_ =
        std::make_unique<Protocol>(*world_.engine, *world_.dispatcher, *world_.store,
                                   world_.metrics, clock_, Protocol::Options{.version = "9"});
    auto started = GrpcServer::start({}, *protocol_, clock_, world_.metrics);
    ASSERT_TRUE(started.has_value()) << started.error().describe();
    server_ = *std::move(started);
    address_ = *parse_address(fmt::format("grpc://127.0.0.1:{}", server_->port()));
  }
  void TearDown() override {
    world_.release();
    server_->stop(5s);
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  static std::string message(const std::string& model) {
    NamedTensors inputs;
    inputs.push_back({"x", *Tensor::from(Shape{1, 1}, std::vector<float>{0.5F})});
    return grpc_infer_bytes(model, inputs, {});
  }
  std::unique_ptr<LoadClient> client(std::vector<std::string> messages) const {
    auto opened = GrpcLoadClient::open(
        address_, 2, std::make_shared<const std::vector<std::string>>(std::move(messages)), 10s);
    BRAID_CHECK(opened.has_value());
    return *std::move(opened);
  }
  std::vector<LoadAnswer> answers_of(LoadClient& client, std::size_t count) const {
    std::vector<LoadAnswer> answers;
    for (const TimePoint until = clock_.now() + 10s;
         answers.size() < count && clock_.now() < until;) {
      client.wait(until, answers);
    }
    return answers;
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<GrpcServer> server_;
  ServerAddress address_;
};

TEST_F(GrpcLoadTest, AWholeLoadRuns) {
  LoadOptions options;
  options.server = address_;
  options.requests = std::make_shared<const std::vector<std::string>>(1, message("binary"));
  options.connection_count = 3;
  options.thread_count = 2;
  options.warm_up = 10ms;
  options.window = 100ms;
  options.pid = ::getpid();
  ASSERT_TRUE(try_one(options).has_value());
  const auto result = run_load(options, clock_);
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_GE(result->tally.good, 1U);
  EXPECT_EQ(result->tally.failed(), 0U);
}

// The network thread reads one connection a look; what others have sent by then must join the run.
TEST_F(GrpcLoadTest, ManyConnectionsShareRuns) {
  LoadOptions options;
  options.server = address_;
  options.requests = std::make_shared<const std::vector<std::string>>(1, message("binary"));
  options.connection_count = 32;
  options.warm_up = 50ms;
  options.window = 300ms;
  ASSERT_TRUE(run_load(options, clock_).has_value());
  const auto model = world_.store->get("binary");
  ASSERT_TRUE(model.has_value());
  const ModelStatistics seen = world_.dispatcher->statistics(**model);
  EXPECT_GE(seen.row_count, 2 * seen.run_count);
}

TEST_F(GrpcLoadTest, TellsRefusalsByStatusWithTheServersWords) {
  const auto load = client({message("zebra"), message("binary")});
  load->send(0, 0);
  const auto refused = answers_of(*load, 1);
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_FALSE(refused[0].good);
  EXPECT_EQ(refused[0].code, 5) << "NOT_FOUND";
  EXPECT_THAT(std::string(refused[0].text), HasSubstr("zebra"));
  load->send(0, 1);
  EXPECT_TRUE(answers_of(*load, 1).at(0).good) << "the connection stays of use";
}

TEST_F(GrpcLoadTest, AnAbandonedRequestIsNotHeardOfAgain) {
  const auto load = client({message("hang"), message("binary")});
  load->send(1, 0);
  load->abandon(1);
  load->send(1, 1);
  const auto answers = answers_of(*load, 1);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].connection, 1U);
  EXPECT_TRUE(answers[0].good);
  load->send(0, 0);  // the destructor cancels it
}

TEST_F(GrpcLoadTest, AServerThatEndsLosesItsRequests) {
  const auto load = client({message("binary")});
  server_->stop(0s);
  server_.reset();
  load->send(0, 0);
  EXPECT_EQ(answers_of(*load, 1).at(0).code, LoadAnswer::kLost);
  const auto gone = try_grpc(address_, message("binary"), 1s);
  EXPECT_EQ(gone.error().code, Code::kUnavailable);
  EXPECT_THAT(gone.error().describe(), HasSubstr("is the server running there"));
  auto again = GrpcServer::start({}, *protocol_, clock_, world_.metrics);  // for TearDown
  server_ = *std::move(again);
}

TEST_F(GrpcLoadTest, AsksForTheModel) {
  const auto model = fetch_grpc_model(address_, "binary", 10s);
  ASSERT_TRUE(model.has_value()) << model.error().describe();
  EXPECT_EQ(model->name, "binary");
  ASSERT_THAT(model->inputs, SizeIs(1));
  EXPECT_EQ(to_string(model->inputs[0]), "x FP32 [-1, 1]");
  const auto none = fetch_grpc_model(address_, "zebra", 10s);
  EXPECT_EQ(none.error().code, Code::kNotFound);
  EXPECT_THAT(none.error().describe(), HasSubstr("gRPC NOT_FOUND"));
}

}  // namespace
}  // namespace braid
