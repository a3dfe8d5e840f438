#include "net/grpc/grpc_load_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc/grpc_status.h"
#include "net/inference.pb.h"

namespace braid {
namespace {

TEST(GrpcLoadRequest, IsTheProtocolsMessage) {
  NamedTensors inputs;
  inputs.push_back({"x", *Tensor::from(Shape{1, 2}, std::vector<std::int64_t>{1, 2})});
  InferOptions options{.outputs = {"y"}};
  options.parameters.set("timeout", 5000);
  options.parameters.set("rate", 0.5);
  options.parameters.set("explain", false);
  options.parameters.set("tag", "t");
  inference::ModelInferRequest message;
  ASSERT_TRUE(message.ParseFromString(grpc_infer_bytes("m", inputs, options)));
  EXPECT_EQ(message.model_name(), "m");
  ASSERT_EQ(message.inputs_size(), 1);
  EXPECT_EQ(message.inputs(0).name(), "x");
  EXPECT_EQ(message.inputs(0).datatype(), "INT64");
  EXPECT_THAT(message.inputs(0).shape(), testing::ElementsAre(1, 2));
  EXPECT_THAT(message.raw_input_contents(),
              testing::ElementsAre(std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16)));
  EXPECT_EQ(message.outputs(0).name(), "y");
  EXPECT_EQ(message.parameters().at("timeout").int64_param(), 5000);
  EXPECT_EQ(message.parameters().at("rate").double_param(), 0.5);
  EXPECT_FALSE(message.parameters().at("explain").bool_param());
  EXPECT_TRUE(message.parameters().at("explain").has_bool_param());
  EXPECT_EQ(message.parameters().at("tag").string_param(), "t");
}

// The names and numbers of gRPC's own list of status codes.
TEST(GrpcStatus, NamesAndCodes) {
  EXPECT_EQ(status_name(0), "OK");
  EXPECT_EQ(status_name(14), "UNAVAILABLE");
  EXPECT_EQ(status_name(16), "UNAUTHENTICATED");
  EXPECT_EQ(status_name(17), "status 17");
  EXPECT_EQ(status_name(-1), "status -1");
  EXPECT_EQ(code_from(3), Code::kInvalidArgument);
  EXPECT_EQ(code_from(4), Code::kDeadlineExceeded);
  EXPECT_EQ(code_from(5), Code::kNotFound);
  EXPECT_EQ(code_from(8), Code::kExhausted);
  EXPECT_EQ(code_from(2), Code::kInternal);
}

}  // namespace
}  // namespace braid
