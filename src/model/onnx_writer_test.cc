#include "model/onnx_writer.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "model/model.h"

namespace braid {
namespace {

/// Opens what was written with the ONNX backend.
std::unique_ptr<Model> open(const OnnxGraph& graph) {
  const TestFolder folder;
  const std::filesystem::path file = folder / "model.onnx";
  EXPECT_TRUE(write_file(file, *graph.serialise()).has_value());
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return *(*registry.make("onnxruntime_onnx", {}))->open({file, {}});
}

Tensor matrix(std::size_t rows, std::size_t columns, std::vector<float> values) {
  return *Tensor::from(Shape{rows, columns}, values);
}

std::string tensor(OnnxGraph& graph, const Shape& shape, std::vector<float> values) {
  return graph.constant(shape, values);
}

/// Σ over parts of present_p · (x_p · W_p + b_p), with a missing number counted as 0.
OnnxGraph head_of_two_parts() {
  OnnxGraph graph("joint");
  const auto part = [&](const std::string& name, const std::string& role, std::int64_t width,
                        std::vector<float> weights, std::vector<float> bias) {
    const auto x = graph.input({name + "." + role, DType::kFp32, {-1, width}});
    const auto present = graph.input({name + ".present", DType::kFp32, {-1, 1}});
    const auto known = graph.node("Where", {graph.node("IsNaN", {x}), tensor(graph, {1}, {0}), x});
    const auto product =
        graph.node("MatMul", {known, tensor(graph, {static_cast<std::size_t>(width), 2}, weights)});
    const auto logits = graph.node("Add", {product, tensor(graph, {2}, bias)});
    return graph.node("Mul", {logits, present});
  };
  const auto image = part("image", "embedding", 2, {1, 2, 3, 4}, {10, 20});
  const auto note = part("note", "logits", 1, {5, -5}, {0.5F, 0});
  graph.output({"logits", DType::kFp32, {-1, 2}}, graph.node("Sum", {image, note}));
  graph.metadata("braid.space.image", "efficientnet_lite0");
  return graph;
}

// By hand, row 0: image (1, 2): 1·1 + 2·3 + 10 = 17, 1·2 + 2·4 + 20 = 30; note 2: 10.5, -10.
// Row 1: image (NaN, 1): 3 + 10 = 13, 4 + 20 = 24; the note is absent, so its bias is too.
TEST(OnnxWriter, WritesAHeadThatComputesWhatTheFormulaSays) {
  const std::unique_ptr<Model> head = open(head_of_two_parts());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Batch batch;
  batch.row_count = 2;
  batch.inputs.push_back({"image.embedding", matrix(2, 2, {1, 2, nan, 1})});
  batch.inputs.push_back({"image.present", matrix(2, 1, {1, 1})});
  batch.inputs.push_back({"note.logits", matrix(2, 1, {2, 7})});
  batch.inputs.push_back({"note.present", matrix(2, 1, {1, 0})});

  const RowResults results = *head->run(batch);

  EXPECT_THAT(find_tensor(results.outputs, "logits")->values<float>(),
              testing::Pointwise(testing::FloatEq(), {27.5F, 20.0F, 13.0F, 24.0F}));
}

TEST(OnnxWriter, KeepsShapesAndMetadata) {
  const std::unique_ptr<Model> head = open(head_of_two_parts());
  const ModelSpec& spec = head->spec();
  EXPECT_EQ(to_string(spec.inputs.at(0)), "image.embedding FP32 [-1, 2]");
  EXPECT_EQ(to_string(spec.outputs.at(0)), "logits FP32 [-1, 2]");
  EXPECT_EQ(spec.rows_max, 32U);
  EXPECT_EQ(spec.metadata.at("braid.space.image"), "efficientnet_lite0");
}

// Softmax over an axis (int), Transpose by a permutation (ints), Elu with alpha (float), a cast
// (int), Gather by an INT64 constant, Split in two, RandomUniformLike no: every kind but floats.
TEST(OnnxWriter, WritesEveryKindOfAttribute) {
  OnnxGraph graph("attributes");
  const auto x = graph.input({"x", DType::kFp32, {-1, 4}});
  const std::vector<std::int64_t> halves = {2, 2};
  const auto parts =
      graph.nodes("Split", {x, graph.constant({2}, halves)}, 2, {{"axis", std::int64_t{1}}});
  const auto elu = graph.node("Elu", {parts.at(0)}, {{"alpha", 2.0F}});
  const auto turned =
      graph.node("Transpose", {parts.at(1)}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  const auto back = graph.node("Transpose", {turned}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  const auto scaled = graph.node("Einsum", {elu, back}, {{"equation", std::string("ij,ij->ij")}});
  graph.output({"y", DType::kFp32, {-1, 2}}, scaled);

  Batch batch;
  batch.row_count = 1;
  batch.inputs.push_back({"x", matrix(1, 4, {-1, 3, 10, 100})});
  const RowResults results = *open(graph)->run(batch);

  // By hand: elu(-1) = 2·(e⁻¹ - 1) = -1.2642411, times 10; elu(3) = 3, times 100.
  EXPECT_THAT(results.outputs.at(0).tensor.values<float>(),
              testing::Pointwise(testing::FloatNear(1e-4F), {-12.642411F, 300.0F}));
}

TEST(OnnxWriter, RefusesAWrongGraphBeforeItIsAFile) {
  OnnxGraph unknown_value("a");
  unknown_value.output({"y", DType::kFp32, {-1, 1}}, "nothing");
  EXPECT_EQ(unknown_value.serialise().error().code, Code::kInternal);

  OnnxGraph unknown_operator("b");
  const auto x = unknown_operator.input({"x", DType::kFp32, {-1, 1}});
  unknown_operator.output({"y", DType::kFp32, {-1, 1}}, unknown_operator.node("Frobnicate", {x}));
  const Error error = unknown_operator.serialise().error();
  EXPECT_THAT(error.message, testing::HasSubstr("Frobnicate"));
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

TEST(OnnxWriter, WritesTheSameBytesTwice) {
  EXPECT_EQ(*head_of_two_parts().serialise(), *head_of_two_parts().serialise());
}

}  // namespace
}  // namespace braid
