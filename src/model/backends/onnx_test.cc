// Models and golden numbers of tests/data/model/onnx come from tools/oracles/model_onnx.py.

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "model/model.h"

namespace braid {
namespace {

using testing::HasSubstr;

const std::filesystem::path kFolder = "tests/data/model/onnx";

Result<std::unique_ptr<Model>> open(const std::string& name, ModelConfig config = {}) {
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  const std::unique_ptr<Backend> backend = *registry.make("onnxruntime_onnx", {});
  return backend->open({kFolder / (name + ".onnx"), std::move(config)});
}

std::vector<float> numbers(const Json& golden, std::string_view key) {
  std::vector<float> numbers;
  for (const Json& row : *golden.find(key)->list()) {
    for (const Json& number : *row.list()) {
      numbers.push_back(static_cast<float>(number.number()));
    }
  }
  return numbers;
}

Batch one_input(std::string name, Tensor tensor) {
  Batch batch;
  batch.row_count = tensor.row_count();
  batch.inputs.push_back({std::move(name), std::move(tensor)});
  return batch;
}

Batch pairs(std::initializer_list<float> values) {
  return one_input("x", *Tensor::from(Shape{values.size() / 2, 2}, std::vector<float>(values)));
}

std::vector<float> floats(const RowResults& results, std::string_view name) {
  const std::span<const float> values = find_tensor(results.outputs, name)->values<float>();
  return {values.begin(), values.end()};
}

TEST(Onnx, ComputesWhatNumpyComputes) {
  const Json golden = *Json::parse(*read_file(kFolder / "mlp.json"));
  const std::unique_ptr<Model> model = *open("mlp");

  const RowResults results =
      *model->run(one_input("x", *Tensor::from(Shape{5, 4}, numbers(golden, "x"))));

  for (const char* name : {"logits", "probabilities"}) {
    EXPECT_THAT(floats(results, name),
                testing::Pointwise(testing::FloatNear(1e-5F), numbers(golden, name)));
  }
}

TEST(Onnx, TellsWhatTheFileSays) {
  const std::unique_ptr<Model> model = *open("mlp");
  const ModelSpec& spec = model->spec();

  EXPECT_EQ(spec.platform, "onnxruntime_onnx");
  EXPECT_EQ(to_string(spec.inputs.at(0)), "x FP32 [-1, 4]");
  EXPECT_EQ(to_string(spec.outputs.at(0)), "logits FP32 [-1, 3]");
  EXPECT_EQ(to_string(spec.outputs.at(1)), "probabilities FP32 [-1, 3]");
  EXPECT_EQ(spec.rows_max, 32U);
  EXPECT_EQ(spec.metadata.at("braid.space.image"), "efficientnet_lite0");
}

// Strings with a zero byte and of no bytes: a C string would lose both.
TEST(Onnx, CarriesEveryType) {
  const std::unique_ptr<Model> model = *open("types");
  const std::vector<std::string> strings = {std::string("a\0b", 3), ""};
  Batch batch;
  batch.row_count = 1;
  for (const TensorSpec& input : model->spec().inputs) {
    const std::vector<std::byte> bytes(2 * element_size(input.dtype), std::byte{1});
    batch.inputs.push_back(
        {input.name, input.dtype == DType::kBytes
                         ? *Tensor::from_strings(Shape{1, 2}, strings)
                         : *Tensor::from_bytes(input.dtype, Shape{1, 2}, bytes)});
  }
  ASSERT_EQ(batch.inputs.size(), 14U);

  const RowResults results = *model->run(batch);

  for (const NamedTensor& input : batch.inputs) {
    const Tensor& output = *find_tensor(results.outputs, input.name + "_out");
    EXPECT_EQ(output.dtype(), input.tensor.dtype()) << input.name;
    EXPECT_TRUE(std::ranges::equal(output.view().bytes, input.tensor.view().bytes)) << input.name;
    EXPECT_TRUE(std::ranges::equal(output.strings(), input.tensor.strings())) << input.name;
  }
}

TEST(Onnx, RunsFromManyThreadsAtOnce) {
  const Json golden = *Json::parse(*read_file(kFolder / "mlp.json"));
  const std::unique_ptr<Model> model = *open("mlp");
  const std::vector<float> expected = numbers(golden, "logits");
  std::array<std::size_t, 4> wrong = {};

  std::vector<std::jthread> threads;
  for (std::size_t& count : wrong) {
    threads.emplace_back([&] {
      for (int run = 0; run < 200; ++run) {
        const Batch batch = one_input("x", *Tensor::from(Shape{5, 4}, numbers(golden, "x")));
        const std::vector<float> actual = floats(*model->run(batch), "logits");
        count += std::ranges::equal(actual, expected,
                                    [](float a, float b) { return std::abs(a - b) < 1e-5F; })
                     ? 0U
                     : 1U;
      }
    });
  }
  threads.clear();

  EXPECT_EQ(wrong, (std::array<std::size_t, 4>{}));
}

TEST(Onnx, DoesNotJoinRowsOfAFixedBatch) {
  EXPECT_EQ((*open("fixed_batch"))->spec().rows_max, 0U);
  ModelConfig config;
  config.rows_max = 8;
  EXPECT_THAT(open("fixed_batch", config).error().message, HasSubstr("set max_batch_size: 0"));
}

TEST(Onnx, GivesAScalarOneAxis) {
  const std::unique_ptr<Model> model = *open("scalar");
  ASSERT_EQ(to_string(model->spec().inputs.at(1)), "factor FP32 [1]");
  Batch batch = pairs({1, 2});
  batch.inputs.push_back({"factor", *Tensor::from(Shape{1}, std::vector<float>{3})});
  EXPECT_EQ(floats(*model->run(batch), "y"), (std::vector<float>{3, 6}));
}

// Exporters list weights as inputs with defaults, so an optional input is one that a config names.
TEST(Onnx, TakesAnOptionalInputOnlyWhenTheConfigNamesIt) {
  EXPECT_EQ((*open("optional"))->spec().inputs.size(), 1U);

  ModelConfig config;
  config.rows_max = 0;
  config.inputs = {{"x", DType::kFp32, {-1, 2}, false}, {"shift", DType::kFp32, {1, 2}, true}};
  const std::unique_ptr<Model> model = *open("optional", config);

  Batch batch = pairs({1, 2});
  EXPECT_EQ(floats(*model->run(batch), "y"), (std::vector<float>{11, 22}));
  batch.inputs.push_back({"shift", *Tensor::from(Shape{1, 2}, std::vector<float>{-1, -2})});
  EXPECT_EQ(floats(*model->run(batch), "y"), (std::vector<float>{0, 0}));
}

TEST(Onnx, HoldsTheConfigAgainstTheFile) {
  ModelConfig config;
  config.outputs = {{"probabilities", DType::kFp32, {-1, 3}}};
  EXPECT_EQ((*open("mlp", config))->spec().outputs.size(), 1U);
  config.outputs = {{"probabilities", DType::kFp32, {-1, 4}}};
  EXPECT_THAT(open("mlp", config).error().describe(),
              testing::AllOf(HasSubstr("mlp.onnx"), HasSubstr("[-1, 4]"), HasSubstr("[-1, 3]")));
  config.outputs = {{"scores", DType::kFp32, {-1, 3}}};
  EXPECT_THAT(open("mlp", config).error().message, HasSubstr("output 'scores'"));
  config.outputs = {};
  config.inputs = {{"x", DType::kFp32, {-1, 4}, true}};
  EXPECT_THAT(open("mlp", config).error().message, HasSubstr("is optional"));
}

// A batch axis that shrinks would hand rows to the wrong requests.
TEST(Onnx, NoticesAnOutputWithOtherRows) {
  const std::unique_ptr<Model> model = *open("first_row");
  EXPECT_TRUE(model->run(pairs({1, 2})).has_value());
  const Error error = model->run(pairs({1, 2, 3, 4})).error();
  EXPECT_EQ(error.code, Code::kInternal);
  EXPECT_THAT(error.message, HasSubstr("1 rows for a batch of 2"));
}

TEST(Onnx, SaysThatAnOutputCameOutEmpty) {
  const Error error = (*open("empties"))->run(pairs({0, 0})).error();
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("'y' came out empty, [2, 0]"));
}

TEST(Onnx, TellsTooNewFromBroken) {
  for (const char* name : {"unknown_operator", "future_opset", "sequence"}) {
    const Error error = open(name).error();
    EXPECT_EQ(error.code, Code::kUnsupported) << error.describe();
    EXPECT_THAT(error.describe(), HasSubstr(name));
    EXPECT_EQ(error.describe().find('\n'), std::string::npos);
  }
  EXPECT_EQ(open("missing").error().code, Code::kNotFound);
  EXPECT_THAT(open("missing").error().describe(), HasSubstr("missing.onnx"));
}

}  // namespace
}  // namespace braid
