#include "net/grpc/grpc_server.h"

#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "net/health.grpc.pb.h"
#include "net/inference.grpc.pb.h"
#include "serve/fake_world.h"

namespace braid {
namespace {

using namespace inference;  // NOLINT(google-build-using-namespace): the messages under test
using namespace std::chrono_literals;
using testing::HasSubstr;

class GrpcServerTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"binary", "fail", "hang"}) {
      world_.add_model(name, name);
    }
    protocol_ =
        std::make_unique<Protocol>(*world_.engine, *world_.dispatcher, *world_.store,
                                   world_.metrics, clock_, Protocol::Options{.version = "9"});
    auto started = GrpcServer::start({}, *protocol_, clock_, world_.metrics);
    ASSERT_TRUE(started.has_value()) << started.error().describe();
    server_ = *std::move(started);
    stub_ = GRPCInferenceService::NewStub(grpc::CreateChannel(
        fmt::format("127.0.0.1:{}", server_->port()), grpc::InsecureChannelCredentials()));
  }
  void TearDown() override {
    world_.release();
    server_->stop(5s);
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  static ModelInferRequest request(const std::string& model, float value, const std::string& id) {
    ModelInferRequest message;
    message.set_model_name(model);
    message.set_id(id);
    auto& input = *message.add_inputs();
    input.set_name("x");
    input.set_datatype("FP32");
    input.add_shape(1);
    input.add_shape(1);
    input.mutable_contents()->add_fp32_contents(value);
    return message;
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GRPCInferenceService::Stub> stub_;
};

TEST_F(GrpcServerTest, InfersAndRefusesInWords) {
  grpc::ClientContext good;
  ModelInferResponse answer;
  const grpc::Status status = stub_->ModelInfer(&good, request("binary", 0.5F, "7"), &answer);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(answer.id(), "7");
  EXPECT_EQ(answer.outputs(0).name(), "probabilities");
  EXPECT_EQ(answer.raw_output_contents(0).size(), 8U);

  const std::pair<std::string, grpc::StatusCode> refusals[] = {
      {"zebra", grpc::StatusCode::NOT_FOUND}, {"fail", grpc::StatusCode::INTERNAL}};
  for (const auto& [model, code] : refusals) {
    grpc::ClientContext bad;
    const grpc::Status refused = stub_->ModelInfer(&bad, request(model, 1, ""), &answer);
    EXPECT_EQ(refused.error_code(), code) << refused.error_message();
    EXPECT_FALSE(refused.error_message().empty());
  }
}

TEST_F(GrpcServerTest, TellsWhatIsServed) {
  grpc::ClientContext first;
  ServerMetadataResponse server;
  ASSERT_TRUE(stub_->ServerMetadata(&first, {}, &server).ok());
  EXPECT_EQ(server.version(), "9");

  grpc::ClientContext second;
  ModelMetadataRequest wanted;
  wanted.set_name("binary");
  ModelMetadataResponse model;
  ASSERT_TRUE(stub_->ModelMetadata(&second, wanted, &model).ok());
  EXPECT_EQ(model.inputs(0).datatype(), "FP32");
  EXPECT_EQ(model.inputs(0).shape(0), -1);

  grpc::ClientContext third;
  ModelConfigRequest config_of;
  config_of.set_name("binary");
  ModelConfigResponse config;
  ASSERT_TRUE(stub_->ModelConfig(&third, config_of, &config).ok());
  EXPECT_EQ(config.config().input(0).data_type(), triton::TYPE_FP32);

  grpc::ClientContext fourth;
  ModelStatisticsResponse statistics;
  ASSERT_TRUE(stub_->ModelStatistics(&fourth, {}, &statistics).ok());
  EXPECT_EQ(statistics.model_stats_size(), 3);

  grpc::ClientContext fifth;
  RepositoryModelLoadRequest load;
  load.set_model_name("binary");
  RepositoryModelLoadResponse loaded;
  const grpc::Status refused = stub_->RepositoryModelLoad(&fifth, load, &loaded);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("--model-control-mode"));
}

TEST_F(GrpcServerTest, RefusesWhatTheServerCannotHold) {
  ByteCredits credits(64);
  const auto full = GrpcServer::start({.credits = &credits}, *protocol_, clock_, world_.metrics);
  ASSERT_TRUE(full.has_value());
  const auto stub = GRPCInferenceService::NewStub(grpc::CreateChannel(
      fmt::format("127.0.0.1:{}", (*full)->port()), grpc::InsecureChannelCredentials()));
  ModelInferResponse answer;
  grpc::ClientContext small;
  EXPECT_TRUE(stub->ModelInfer(&small, request("binary", 0.5F, "7"), &answer).ok());
  grpc::ClientContext large;
  const grpc::Status refused =
      stub->ModelInfer(&large, request("binary", 0.5F, std::string(64, '7')), &answer);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("64 at most"));
  while (credits.bytes_held() > 0) {
    std::this_thread::yield();  // given back a moment after the answer
  }
}

TEST_F(GrpcServerTest, LogsCallsUnderTheirIds) {
  Mutex mutex;
  std::vector<std::string> lines;
  const AccessLog log(
      AccessLog::Format::kText, true,
      [&](std::string_view line) {
        const Lock lock(mutex);
        lines.emplace_back(line);
      },
      clock_);
  Protocol protocol(*world_.engine, *world_.dispatcher, *world_.store, world_.metrics, clock_,
                    {.access_log = &log});
  const auto started = GrpcServer::start({}, protocol, clock_, world_.metrics);
  ASSERT_TRUE(started.has_value());
  const auto stub = GRPCInferenceService::NewStub(grpc::CreateChannel(
      fmt::format("127.0.0.1:{}", (*started)->port()), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "me-1");
  ModelInferResponse answer;
  EXPECT_TRUE(stub->ModelInfer(&context, request("binary", 0.5F, "7"), &answer).ok());
  grpc::ClientContext other;
  EXPECT_FALSE(stub->ModelInfer(&other, request("zebra", 0.5F, "8"), &answer).ok());
  const Lock lock(mutex);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr(" id=me-1 wire=grpc call=ModelInfer name=binary status=0 "));
  EXPECT_THAT(lines[1], HasSubstr(" id=8 wire=grpc call=ModelInfer name=zebra status=5 "));
}

// The wrong one in the middle is answered on the stream, which goes on.
TEST_F(GrpcServerTest, StreamsAnAnswerARequest) {
  grpc::ClientContext context;
  const auto stream = stub_->ModelStreamInfer(&context);
  ASSERT_TRUE(stream->Write(request("binary", 0.5F, "a")));
  ASSERT_TRUE(stream->Write(request("zebra", 0.5F, "b")));
  ASSERT_TRUE(stream->Write(request("binary", 0.5F, "c")));
  stream->WritesDone();
  std::vector<std::string> good;
  std::vector<std::string> bad;
  ModelStreamInferResponse answer;
  while (stream->Read(&answer)) {
    (answer.error_message().empty() ? good : bad).push_back(answer.infer_response().id());
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_THAT(good, testing::UnorderedElementsAre("a", "c"));
  EXPECT_THAT(bad, testing::ElementsAre("b"));
}

TEST_F(GrpcServerTest, AClientThatGivesUpCancelsItsRequest) {
  for (int i = 0; i < 3; ++i) {  // two slots hang; the third waits
    grpc::ClientContext context;
    context.set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(50, GPR_TIMESPAN)));
    ModelInferResponse answer;
    const grpc::Status status = stub_->ModelInfer(&context, request("hang", 1, ""), &answer);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
}

TEST_F(GrpcServerTest, TellsItsHealth) {
  using namespace grpc::health::v1;  // NOLINT(google-build-using-namespace): three message names
  const auto stub = Health::NewStub(grpc::CreateChannel(
      fmt::format("127.0.0.1:{}", server_->port()), grpc::InsecureChannelCredentials()));
  HealthCheckRequest request;
  HealthCheckResponse response;
  grpc::ClientContext first;
  ASSERT_TRUE(stub->Check(&first, request, &response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  protocol_->set_ready(false);
  grpc::ClientContext second;
  ASSERT_TRUE(stub->Check(&second, request, &response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  protocol_->set_ready(true);
  request.set_service("zebra");
  grpc::ClientContext third;
  EXPECT_EQ(stub->Check(&third, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(GrpcServerTest, EndsWhatWatchesItsHealth) {
  using namespace grpc::health::v1;  // NOLINT(google-build-using-namespace): three message names
  const auto stub = Health::NewStub(grpc::CreateChannel(
      fmt::format("127.0.0.1:{}", server_->port()), grpc::InsecureChannelCredentials()));
  HealthCheckResponse response;
  {
    grpc::ClientContext gone;
    const auto left = stub->Watch(&gone, {});
    ASSERT_TRUE(left->Read(&response));
    gone.TryCancel();
    EXPECT_FALSE(left->Read(&response));
    EXPECT_EQ(left->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  grpc::ClientContext context;
  const auto watch = stub->Watch(&context, {});
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  std::thread stopping([&] { server_->stop(1h); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_TRUE(watch->Finish().ok());
  stopping.join();
}

TEST_F(GrpcServerTest, SaysWhichPortIsTaken) {
  const auto second =
      GrpcServer::start({.port = server_->port()}, *protocol_, clock_, world_.metrics);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().describe(), HasSubstr("--grpc-port"));
}

}  // namespace
}  // namespace braid
