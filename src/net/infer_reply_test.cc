#include "net/infer_reply.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/infer_json.h"

namespace braid {
namespace {

using namespace std::string_literals;

NamedTensors two_outputs() {
  NamedTensors outputs;
  outputs.push_back({"a", *Tensor::from(Shape{1, 3}, std::vector<float>{0.5F, -1, 1e20F})});
  outputs.push_back({"b", *Tensor::from_strings(Shape{2}, {"x\"y", ""})});
  return outputs;
}

Result<HttpResponse> encode(InferReply reply, const NamedTensors& outputs) {
  NamedTensors given;
  for (const auto& [name, tensor] : outputs) {
    given.push_back({name, tensor.clone()});
  }
  BRAID_TRY_DO(take_outputs(std::move(given), {}, reply));
  return encode_reply(reply);
}

TEST(InferReply, IsTheProtocolsJson) {
  const auto response = encode({.model = "m", .version = "3", .id = "7"}, two_outputs());
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->body, R"({"model_name":"m","model_version":"3","id":"7","outputs":[)"
                            R"({"name":"a","datatype":"FP32","shape":[1,3],"data":[0.5,-1,1e+20]},)"
                            R"({"name":"b","datatype":"BYTES","shape":[2],"data":["x\"y",""]}]})");
  EXPECT_EQ(response->content_type, "application/json");
}

TEST(InferReply, GivesWhatWasAskedForInThatOrder) {
  const auto response =
      encode({.model = "m", .wanted = {{"b", true}, {"a", false}}}, two_outputs());
  ASSERT_TRUE(response.has_value());
  const std::string json =
      R"({"model_name":"m","model_version":"1","outputs":[)"
      R"({"name":"b","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":11}},)"
      R"({"name":"a","datatype":"FP32","shape":[1,3],"data":[0.5,-1,1e+20]}]})";
  EXPECT_EQ(response->body, json + "\x03\x00\x00\x00x\"y\x00\x00\x00\x00"s);
  EXPECT_EQ(response->content_type, "application/octet-stream");
  EXPECT_THAT(response->headers,
              testing::ElementsAre(
                  testing::Pair("Inference-Header-Content-Length", std::to_string(json.size()))));
}

TEST(InferReply, BinaryForAllGivesWayToWhatAnOutputSays) {
  const auto response =
      encode({.model = "m", .wanted = {{"a"}, {"b", false}}, .binary_output = true}, two_outputs());
  EXPECT_THAT(response->body, testing::HasSubstr("\"binary_data_size\":12"));
  EXPECT_THAT(response->body, testing::HasSubstr("\"data\":[\"x\\\"y\",\"\"]"));
}

// IEEE 754 bytes of 1.0, little-endian: 00 00 80 3f.
TEST(InferReply, BinaryNumbersAreLittleEndian) {
  NamedTensors outputs;
  outputs.push_back({"a", *Tensor::from(Shape{1}, std::vector<float>{1})});
  const auto response = encode({.model = "m", .binary_output = true}, outputs);
  EXPECT_TRUE(response->body.ends_with("\x00\x00\x80\x3f"s));
}

TEST(InferReply, RefusesWhatJsonCannotSay) {
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    NamedTensors outputs;
    outputs.push_back({"a", *Tensor::from(Shape{1}, std::vector<float>{value})});
    const auto response = encode({.model = "m"}, outputs);
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().code, Code::kInvalidArgument);
    EXPECT_THAT(response.error().describe(), testing::HasSubstr("output 'a': "));
    EXPECT_TRUE(encode({.model = "m", .binary_output = true}, outputs).has_value());
  }
  NamedTensors outputs;
  outputs.push_back({"a", *Tensor::from_strings(Shape{1}, {"\xff\xfe"})});
  EXPECT_THAT(encode({.model = "m"}, outputs).error().describe(), testing::HasSubstr("not UTF-8"));
  outputs.clear();
  outputs.push_back({"a", *Tensor::zeros(DType::kFp16, Shape{1})});
  EXPECT_THAT(encode({.model = "m"}, outputs).error().describe(), testing::HasSubstr("FP16"));
}

// What is written in shortest form must be read as the very same number.
TEST(InferReply, NumbersSurviveTheWayThroughJson) {
  std::vector<float> numbers;
  for (std::uint32_t bits = 1; bits < 0x7f000000; bits += 98317) {
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    numbers.push_back(number);
  }
  NamedTensors outputs;
  outputs.push_back({"a", *Tensor::from(Shape{numbers.size()}, numbers)});
  const std::string reply = encode({.model = "m"}, outputs)->body;
  const std::string tensor = reply.substr(reply.find("[{") + 1);
  const Body request = Body::copy_of("{\"inputs\":[" + tensor.substr(0, tensor.size() - 2) + "]}");

  const auto parsed = parse_infer(request, std::nullopt);

  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_TRUE(std::ranges::equal(parsed->inputs[0].tensor.values<float>(), numbers));
}

TEST(InferReply, NamesAnUnknownOutput) {
  EXPECT_TRUE(check_outputs({{"a"}}, {"a", "b"}).has_value());
  EXPECT_THAT(check_outputs({{"c"}}, {"a", "b"}).error().message,
              testing::HasSubstr("no output 'c'; there are: a, b"));
}

}  // namespace
}  // namespace braid
