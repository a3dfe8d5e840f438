// What each field means is Triton's published documentation of its model configuration.

#include "model/model_config.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ModelConfig> parse(const std::string& text) {
  return parse_model_config(text, "m/config.pbtxt");
}

Error refusal(const std::string& text) { return parse(text).error(); }

TEST(ModelConfig, ReadsAnOrdinaryConfig) {
  const ModelConfig config = *parse(R"(
    # a comment
    name: "densenet"
    platform: "onnxruntime_onnx"
    max_batch_size: 8
    input [ { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] },
            { name: "mask" data_type: TYPE_BOOL dims: [ -1 ] optional: true } ]
    output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] label_filename: "labels.txt" }
    instance_group [ { count: 2 kind: KIND_CPU }, { } ]
    dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 100 }
    parameters { key: "owner" value { string_value: "radiology" } }
    default_model_filename: "net.onnx")");

  EXPECT_EQ(config.name, "densenet");
  EXPECT_EQ(config.platform, "onnxruntime_onnx");
  EXPECT_TRUE(config.from_file);
  EXPECT_EQ(config.rows_max, 8U);
  EXPECT_EQ(to_string(config.inputs.at(0)), "image FP32 [-1, 3, 224, 224]");
  EXPECT_EQ(to_string(config.inputs.at(1)), "mask BOOL [-1, -1]");
  EXPECT_TRUE(config.inputs.at(1).optional);
  EXPECT_EQ(to_string(config.outputs.at(0)), "scores FP32 [-1, 1000]");
  EXPECT_EQ(config.label_files.at("scores"), "labels.txt");
  EXPECT_EQ(config.instance_count, 3U);
  EXPECT_EQ(config.batching->rows_max, 8U);
  EXPECT_EQ(config.batching->wait_max, std::chrono::microseconds(100));
  EXPECT_THAT(config.batching->preferred_rows, ElementsAre(4U, 8U));
  EXPECT_EQ(config.parameters.at("owner"), "radiology");
  EXPECT_EQ(config.default_file_name, "net.onnx");
  EXPECT_THAT(config.warnings, ElementsAre());
}

TEST(ModelConfig, KnowsEveryType) {
  const std::pair<const char*, DType> types[] = {
      {"BOOL", DType::kBool},     {"UINT8", DType::kUint8},   {"UINT16", DType::kUint16},
      {"UINT32", DType::kUint32}, {"UINT64", DType::kUint64}, {"INT8", DType::kInt8},
      {"INT16", DType::kInt16},   {"INT32", DType::kInt32},   {"INT64", DType::kInt64},
      {"FP16", DType::kFp16},     {"BF16", DType::kBf16},     {"FP32", DType::kFp32},
      {"FP64", DType::kFp64},     {"STRING", DType::kBytes}};
  for (const auto& [name, dtype] : types) {
    const ModelConfig config = *parse(std::string("max_batch_size: 0 input { name: 'x' dims: 1 "
                                                  "data_type: TYPE_") +
                                      name + " }");
    EXPECT_EQ(config.inputs.at(0).dtype, dtype) << name;
  }
}

// max_batch_size 0 means that dims is the whole shape.
TEST(ModelConfig, DimsHaveABatchAxisOnlyWithBatching) {
  const std::string tensors =
      "input { name: 'x' data_type: TYPE_FP32 dims: [1, 4] } "
      "output { name: 'y' data_type: TYPE_FP32 dims: [1, 2] }";
  EXPECT_EQ(to_string(parse("max_batch_size: 0 " + tensors)->inputs.at(0)), "x FP32 [1, 4]");
  EXPECT_EQ(to_string(parse(tensors)->outputs.at(0)), "y FP32 [1, 2]");
  EXPECT_EQ(parse(tensors)->rows_max, 0U);
  EXPECT_EQ(to_string(parse("max_batch_size: 1 " + tensors)->inputs.at(0)), "x FP32 [-1, 1, 4]");
}

// Absent: requests are not joined. Empty: joined without a delay.
TEST(ModelConfig, DynamicBatchingMeansWhatItMeansInTriton) {
  EXPECT_FALSE(parse("max_batch_size: 8")->batching.has_value());
  const BatchConfig empty = *parse("max_batch_size: 8 dynamic_batching { }")->batching;
  EXPECT_EQ(empty.rows_max, 8U);
  EXPECT_EQ(empty.wait_max, Duration::zero());
  const BatchConfig completed = *parse("platform: 'onnxruntime_onnx'")->batching;
  EXPECT_EQ(completed.rows_max, 32U);
  EXPECT_EQ(completed.wait_max, Duration::zero());
  EXPECT_FALSE(parse("max_batch_size: 0 dynamic_batching { }")->batching.has_value());
  EXPECT_THAT(refusal("max_batch_size: 4\ndynamic_batching { preferred_batch_size: 8 }").message,
              HasSubstr("config.pbtxt:2: dynamic_batching: preferred_batch_size 8"));
}

TEST(ModelConfig, ReadsVersionPolicies) {
  EXPECT_EQ(parse("")->version_policy.latest_count, 1U);
  const auto latest = parse("version_policy: { latest { num_versions: 3 } }")->version_policy;
  EXPECT_EQ(latest.kind, VersionPolicy::Kind::kLatest);
  EXPECT_EQ(latest.latest_count, 3U);
  EXPECT_EQ(parse("version_policy: { all { } }")->version_policy.kind, VersionPolicy::Kind::kAll);
  const auto specific = parse("version_policy: { specific { versions: [1, 3] } }")->version_policy;
  EXPECT_EQ(specific.kind, VersionPolicy::Kind::kSpecific);
  EXPECT_THAT(specific.specific, ElementsAre(1, 3));
}

TEST(ModelConfig, CallsTheBackendByItsPlatform) {
  EXPECT_EQ(parse("backend: \"onnxruntime\"")->platform, "onnxruntime_onnx");
  EXPECT_EQ(parse("backend: \"xgboost\"")->platform, "xgboost");
}

TEST(ModelConfig, ReadsWarmups) {
  const ModelConfig config = *parse(R"(max_batch_size: 4 model_warmup [ { name: "w" batch_size: 2
    count: 3 inputs { key: "x"
    value { data_type: TYPE_INT64 dims: 5 input_data_file: "raw" } } } ])");
  const Warmup& warmup = config.warmups.at(0);
  EXPECT_EQ(warmup.row_count, 2U);
  EXPECT_EQ(warmup.run_count, 3U);
  EXPECT_EQ(to_string(warmup.inputs.at(0).spec), "x INT64 [2, 5]");
  EXPECT_EQ(warmup.inputs.at(0).filling, Warmup::Filling::kFile);
  EXPECT_THAT(refusal("model_warmup { name: 'w' batch_size: 1 inputs { key: 'x' value { dims: 1 "
                      "data_type: TYPE_FP32 input_data_file: '../../etc/passwd' } } }")
                  .message,
              HasSubstr("plain name"));
}

TEST(ModelConfig, WarnsWithFieldFileAndLine) {
  const ModelConfig config = *parse(R"(max_batch_size: 4
optimization { graph { level: 1 } }
instance_group { kind: KIND_GPU
  gpus: 0 }
parameters { key: "intra_op_thread_count" value { string_value: "8" } })");
  EXPECT_THAT(config.warnings,
              testing::UnorderedElementsAre(
                  HasSubstr("m/config.pbtxt:2: graph does nothing here"),
                  HasSubstr("m/config.pbtxt:3: KIND_GPU does nothing here"),
                  HasSubstr("m/config.pbtxt:4: gpus does nothing here"),
                  HasSubstr("m/config.pbtxt:5: parameter 'intra_op_thread_count'")));
}

TEST(ModelConfig, RefusesWithFieldFileAndLine) {
  const Error ensemble = refusal(
      "name: 'e'\nplatform: 'ensemble'\n"
      "ensemble_scheduling { step { model_name: 'a' } }");
  EXPECT_EQ(ensemble.code, Code::kUnsupported);
  EXPECT_EQ(ensemble.message,
            "m/config.pbtxt:3: ensemble_scheduling cannot be honoured: several "
            "models together are a pipeline: write a pipeline.yaml");
  EXPECT_THAT(refusal("input { name: 'x'\n reshape { shape: [] } }").message,
              HasSubstr("m/config.pbtxt:2: reshape cannot be honoured"));
  EXPECT_EQ(refusal("model_transaction_policy { decoupled: true }").code, Code::kUnsupported);
  EXPECT_TRUE(parse("model_transaction_policy { decoupled: false }").has_value());
}

TEST(ModelConfig, NamesTheNearestFieldForAnUnknownOne) {
  const Error unknown = refusal("max_batch_size: 1\ninput { name: 'x'\n  dtype: TYPE_FP32 }");
  EXPECT_EQ(unknown.code, Code::kInvalidArgument);
  EXPECT_EQ(unknown.message, "m/config.pbtxt:3: unknown field 'dtype' of ModelInput");
  EXPECT_EQ(refusal("max_batchsize: 1").message,
            "m/config.pbtxt:1: unknown field 'max_batchsize' "
            "of ModelConfig; did you mean 'max_batch_size'?");
}

TEST(ModelConfig, SaysWhereTheSyntaxBreaks) {
  EXPECT_THAT(refusal("name: 'a'\nmax_batch_size: many").message, HasSubstr("m/config.pbtxt:2: "));
  EXPECT_THAT(refusal("input {\n name: 'x'").message, HasSubstr("m/config.pbtxt:2: "));
  EXPECT_EQ(refusal("name: 'a' name: 'b'").code, Code::kInvalidArgument);
}

TEST(ModelConfig, ChecksTensors) {
  const auto with = [](const char* input) {
    return refusal(std::string("max_batch_size: 1\ninput { ") + input + " }").message;
  };
  EXPECT_THAT(with("data_type: TYPE_FP32 dims: 1"), HasSubstr("config.pbtxt:2: input: name"));
  EXPECT_THAT(with("name: 'x' dims: 1"), HasSubstr("data_type is missing"));
  EXPECT_THAT(with("name: 'x' data_type: TYPE_FP32 dims: 0"), HasSubstr("0 in dims"));
  EXPECT_THAT(with("name: 'x' data_type: TYPE_FP32 dims: -2"), HasSubstr("-2 in dims"));
  EXPECT_THAT(refusal("max_batch_size: -1").message, HasSubstr("below 0"));
  EXPECT_THAT(refusal("input { name: 'x' data_type: TYPE_FP32 dims: 1 }").message,
              HasSubstr("give max_batch_size as well"));
}

/// The part of the page under one heading, without the others.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find("\n## " + heading + "\n");
  EXPECT_NE(begin, page.npos) << heading;
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// Operators read the page, the program reads the .proto: a field must not be missing in either.
TEST(ModelConfig, ThePageListsEveryMarkedFieldAndEveryTopLevelOne) {
  const std::string page = *read_file("docs/triton-config.md");
  const std::string proto = *read_file("src/model/triton_config.proto");
  static const std::regex field(R"((\w+) = \d+\s*(\[\((warned|refused)\)|;))");
  const std::size_t top = proto.find("message ModelConfig {");
  std::size_t count = 0;
  for (std::sregex_iterator each(proto.begin(), proto.end(), field), end; each != end; ++each) {
    const bool marked = (*each)[3].matched;
    if (!marked && static_cast<std::size_t>(each->position()) < top) {
      continue;
    }
    const std::string heading = !marked                   ? "Honoured"
                                : (*each)[3] == "refused" ? "Refused"
                                                          : "Warned about";
    const std::regex named("`(\\w+\\.)?" + (*each)[1].str() + "`");
    EXPECT_TRUE(std::regex_search(section(page, heading), named)) << (*each)[1] << " " << heading;
    ++count;
  }
  EXPECT_GE(count, 40U);
}

TEST(ModelConfig, ReadsTheQueuePolicies) {
  const BatchConfig batching = *parse(R"(max_batch_size: 4 dynamic_batching {
    priority_levels: 2 default_priority_level: 2
    default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 1500
                           allow_timeout_override: true max_queue_size: 7 }
    priority_queue_policy { key: 1 value { default_timeout_microseconds: 9000 } } })")
                                    ->batching;
  EXPECT_EQ(batching.priority_levels, 2U);
  EXPECT_EQ(batching.priority_default, 2U);
  const QueuePolicy& second = batching.queue_at(2);
  EXPECT_EQ(second.timeout_action, QueuePolicy::TimeoutAction::kDelay);
  EXPECT_EQ(second.timeout, std::chrono::microseconds(1500));
  EXPECT_EQ(second.requests_max, 7U);
  const QueuePolicy& first = batching.queue_at(1);
  EXPECT_EQ(first.timeout_action, QueuePolicy::TimeoutAction::kReject);
  EXPECT_EQ(first.timeout, std::chrono::milliseconds(9));
  EXPECT_EQ(first.requests_max, 0U);
}

TEST(ModelConfig, ChecksPriorities) {
  const auto with = [](const std::string& fields) {
    return refusal("max_batch_size: 4\ndynamic_batching { " + fields + " }").message;
  };
  EXPECT_THAT(with("priority_levels: 3"), HasSubstr(":2: dynamic_batching: default_priority_level "
                                                    "0 is outside 1 to 3"));
  EXPECT_THAT(with("priority_levels: 100000 default_priority_level: 1"), HasSubstr("above 1000"));
  EXPECT_THAT(with("priority_queue_policy { key: 1 value { } }"),
              HasSubstr("key 1, outside 1 to 0"));
}

TEST(ModelConfig, ReadsTheResourcesOfARun) {
  const ModelConfig config = *parse(R"(instance_group [
    { count: 1 rate_limiter { resources [ { name: "cache" count: 2 } ] } },
    { count: 1 rate_limiter { resources [ { name: "cache" count: 2 } ] priority: 3 } } ])");
  EXPECT_THAT(config.run_resources, ElementsAre(RunResource{"cache", 2}));
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("priority does nothing here")));
  EXPECT_THAT(refusal("instance_group { rate_limiter { resources { name: 'a' } } }").message,
              HasSubstr("a count above 0"));
  EXPECT_THAT(refusal("instance_group { rate_limiter { resources { name: 'a' count: 1 } } }"
                      "instance_group { rate_limiter { resources { name: 'a' count: 2 } } }")
                  .message,
              HasSubstr("resource 'a' has count 2 here and 1 before"));
}

}  // namespace
}  // namespace braid
