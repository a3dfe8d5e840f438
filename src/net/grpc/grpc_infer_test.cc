#include "net/grpc/grpc_infer.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::string_literals;
using inference::ModelInferRequest;
using testing::HasSubstr;

ModelInferRequest with_input(const char* dtype, std::vector<std::int64_t> shape) {
  ModelInferRequest message;
  auto& input = *message.add_inputs();
  input.set_name("x");
  input.set_datatype(dtype);
  for (const std::int64_t extent : shape) {
    input.add_shape(extent);
  }
  return message;
}

Result<InferRequest> read(const ModelInferRequest& message) {
  BRAID_TRY(const GrpcWire wire, GrpcWire::read(to_wire(message)));
  return read_infer(wire);
}

std::string refusal(const ModelInferRequest& message) {
  const Result<InferRequest> request = read(message);
  return request.has_value() ? "accepted" : request.error().describe();
}

TEST(GrpcInfer, ReadsTypedContents) {
  ModelInferRequest message = with_input("INT8", {1, 2});
  message.set_id("7");
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(-128);
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(127);
  (*message.mutable_parameters())["timeout"].set_int64_param(1500);
  const Result<InferRequest> request = read(message);
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->timeout, std::chrono::microseconds(1500));
  const auto values = request->inputs.front().tensor.values<std::int8_t>();
  EXPECT_THAT(values, testing::ElementsAre(-128, 127));
}

// Perf Analyzer sends this with every request; other words of Triton's stay reserved.
TEST(GrpcInfer, TakesPerfAnalyzersParameter) {
  ModelInferRequest message = with_input("BOOL", {1});
  message.add_raw_input_contents("\1");
  (*message.mutable_parameters())["triton_enable_empty_final_response"].set_bool_param(true);
  EXPECT_EQ(refusal(message), "accepted");
  (*message.mutable_parameters())["triton_x"].set_bool_param(true);
  EXPECT_THAT(refusal(message), HasSubstr("reserved"));
}

TEST(GrpcInfer, ReadsRawContents) {
  ModelInferRequest message = with_input("FP32", {1, 1});
  message.add_raw_input_contents("\x00\x00\x80\x3f"s);  // IEEE 754 of 1.0
  const Result<InferRequest> request = read(message);
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(request->inputs.front().tensor.values<float>().front(), 1.0F);
}

TEST(GrpcInfer, RefusesContentsThatDoNotFit) {
  ModelInferRequest range = with_input("UINT8", {1});
  range.mutable_inputs(0)->mutable_contents()->add_uint_contents(300);
  EXPECT_THAT(refusal(range), HasSubstr("input 'x': element 0 is 300, which UINT8 cannot hold"));

  ModelInferRequest fields = with_input("INT64", {1});
  fields.mutable_inputs(0)->mutable_contents()->add_int64_contents(1);
  fields.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  EXPECT_THAT(refusal(fields), HasSubstr("INT64 belongs into int64_contents"));

  EXPECT_THAT(refusal(with_input("FP16", {1})), HasSubstr("FP16 has no typed contents"));
  EXPECT_THAT(refusal(with_input("FP32", {2})), HasSubstr("2 elements, its contents have 0"));
  EXPECT_THAT(refusal(with_input("FP32", {-1})), HasSubstr("not negative"));
  EXPECT_THAT(refusal(with_input("fp32", {1})), HasSubstr("fp32"));
}

TEST(GrpcInfer, RefusesRawContentsThatDoNotFit) {
  ModelInferRequest surplus = with_input("FP32", {1});
  surplus.add_raw_input_contents("1234");
  surplus.add_raw_input_contents("");
  EXPECT_THAT(refusal(surplus), HasSubstr("1 inputs came with 2 raw_input_contents"));

  ModelInferRequest both = with_input("FP32", {1});
  both.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  both.add_raw_input_contents("1234");
  EXPECT_THAT(refusal(both), HasSubstr("use one of them"));

  ModelInferRequest cut = with_input("FP32", {1});
  cut.add_raw_input_contents("123");
  EXPECT_THAT(refusal(cut), HasSubstr("input 'x'"));
}

TEST(GrpcInfer, RefusesNamesThatAreMissingOrDouble) {
  EXPECT_THAT(refusal({}), HasSubstr("no inputs"));
  ModelInferRequest twice = with_input("FP32", {1});
  twice.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  *twice.add_inputs() = twice.inputs(0);
  EXPECT_THAT(refusal(twice), HasSubstr("input 'x' comes twice"));
  ModelInferRequest empty = with_input("FP32", {1});
  (*empty.mutable_parameters())["p"];
  EXPECT_THAT(refusal(empty), HasSubstr("parameter 'p' has no value"));
}

TEST(GrpcInfer, VersionsAreWholeNumbers) {
  EXPECT_EQ(*version_from(""), std::nullopt);
  EXPECT_EQ(*version_from("12"), 12);
  for (const char* text : {"0", "01", "+1", "1x", " 1", "-1", "99999999999999999999"}) {
    EXPECT_FALSE(version_from(text).has_value()) << text;
  }
}

TEST(GrpcInfer, WritesRawOutputsInOrder) {
  InferReply reply{.model = "m", .version = "3", .id = "7"};
  reply.outputs.push_back({"b", *Tensor::from_strings(Shape{1}, {"yes"})});
  reply.outputs.push_back({"a", *Tensor::from(Shape{1, 1}, std::vector<float>{1})});
  inference::ModelInferResponse message;
  write_infer(reply, message);
  EXPECT_EQ(message.model_version(), "3");
  EXPECT_EQ(message.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(message.raw_output_contents(0), "\x03\x00\x00\x00yes"s);
  EXPECT_EQ(message.outputs(1).shape_size(), 2);
  EXPECT_EQ(message.raw_output_contents(1), "\x00\x00\x80\x3f"s);
}

}  // namespace
}  // namespace braid
