#include "net/load/load_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/body.h"
#include "net/http_reader.h"
#include "net/infer_json.h"

namespace braid {
namespace {

const ServerAddress kServer = {.host = "h", .port = 80, .path = {}, .resolved = {}};

NamedTensors two_inputs() {
  NamedTensors inputs;
  inputs.push_back({"x", *Tensor::from(Shape{1, 2}, std::vector<float>{.5F, -2})});
  inputs.push_back({"t", *Tensor::from_strings(Shape{1}, {"a\"b"})});
  return inputs;
}

/// What the server makes of the bytes: its own reader and parser.
Result<InferRequest> as_the_server_reads(std::string_view bytes) {
  HttpReader reader({});
  while (reader.next() == HttpReader::Step::kNeedMore && !bytes.empty()) {
    const std::span<char> space = reader.space();
    const std::size_t count = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    reader.commit(count);
  }
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(reader.next(), HttpReader::Step::kRequest);
  const HttpRequest request = reader.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v2/models/m/infer");
  std::optional<std::size_t> json_size;
  if (const auto* header = request.header("inference-header-content-length")) {
    json_size = std::stoul(std::string(*header));
  }
  return parse_infer(request.body, json_size);
}

// Written by hand from the protocol's page on binary tensor data.
TEST(LoadRequest, BinaryIsTheProtocolsOwn) {
  NamedTensors inputs;
  inputs.push_back({"x", *Tensor::from(Shape{1, 1}, std::vector<float>{.5F})});
  const auto bytes = infer_bytes(kServer, "/p", inputs, {});
  const std::string json =
      R"({"inputs":[{"name":"x","shape":[1,1],"datatype":"FP32",)"
      R"("parameters":{"binary_data_size":4}}],"parameters":{"binary_data_output":true}})";
  EXPECT_EQ(*bytes,
            "POST /p HTTP/1.1\r\nHost: h:80\r\nContent-Length: " + std::to_string(json.size() + 4) +
                "\r\nContent-Type: application/octet-stream\r\n"
                "Inference-Header-Content-Length: " +
                std::to_string(json.size()) + "\r\n\r\n" + json + std::string("\0\0\0\x3f", 4));
}

TEST(LoadRequest, TheServerReadsWhatWasMeant) {
  for (const LoadEncoding encoding : {LoadEncoding::kBinary, LoadEncoding::kJson}) {
    InferOptions options{.encoding = encoding, .outputs = {"y", "z"}};
    options.parameters.set("timeout", 5000);
    options.parameters.set("tag", "a");
    const auto bytes = infer_bytes(kServer, "/v2/models/m/infer", two_inputs(), options);
    const auto read = as_the_server_reads(*bytes);
    ASSERT_TRUE(read.has_value()) << read.error().describe();
    ASSERT_EQ(read->inputs.size(), 2U);
    EXPECT_EQ(read->inputs[0].name, "x");
    EXPECT_EQ(read->inputs[0].tensor.values<float>()[1], -2);
    EXPECT_EQ(read->inputs[1].tensor.strings()[0], "a\"b");
    ASSERT_EQ(read->outputs.size(), 2U);
    EXPECT_EQ(read->outputs[1].name, "z");
    EXPECT_EQ(read->binary_output, encoding == LoadEncoding::kBinary);
    EXPECT_EQ(read->timeout, std::chrono::microseconds(5000));
  }
}

TEST(LoadRequest, SaysWhatJsonCannot) {
  NamedTensors inputs;
  inputs.push_back({"h", *Tensor::zeros(DType::kFp16, Shape{1, 2})});
  const auto bytes = infer_bytes(kServer, "/p", inputs, {.encoding = LoadEncoding::kJson});
  ASSERT_FALSE(bytes.has_value());
  EXPECT_THAT(bytes.error().describe(),
              testing::HasSubstr("input 'h' in JSON (leave --json-tensors out)"));
}

TEST(LoadRequest, PlainRequestsKnowTheirType) {
  EXPECT_EQ(plain_bytes(kServer, "/v2", ""), "GET /v2 HTTP/1.1\r\nHost: h:80\r\n\r\n");
  EXPECT_THAT(plain_bytes(kServer, "/d", "{}"),
              testing::HasSubstr("Content-Type: application/json\r\n\r\n{}"));
  EXPECT_THAT(plain_bytes(kServer, "/d", "--XYZ\r\nContent-Disposition: …"),
              testing::HasSubstr("Content-Type: multipart/form-data; boundary=XYZ\r\n"));
}

TEST(LoadRequest, ReadsParameterOptions) {
  EXPECT_EQ(parse_parameter_option("timeout=5000")->second, Json(5000));
  EXPECT_EQ(parse_parameter_option("explain=false")->second, Json(false));
  EXPECT_EQ(parse_parameter_option("tag=a=b")->second, Json("a=b"));
  EXPECT_EQ(parse_parameter_option("tag=\"5\"")->second, Json("5"));
  EXPECT_EQ(parse_parameter_option("tag=[1]")->second, Json("[1]"));
  EXPECT_FALSE(parse_parameter_option("timeout").has_value());
  EXPECT_FALSE(parse_parameter_option("=1").has_value());
}

}  // namespace
}  // namespace braid
