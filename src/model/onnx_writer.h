#pragma once
// OnnxGraph: writes an ONNX model node by node, for heads that are fitted here. Names of values are
// plain strings: what a call returns is what the next one takes.
//
//   OnnxGraph graph("head");
//   const auto x = graph.input({"image.embedding", DType::kFp32, {-1, 1280}});
//   const auto product = graph.node("MatMul", {x, graph.constant({1280, 12}, weights)});
//   graph.output({"logits", DType::kFp32, {-1, 12}}, product);
//
// Opset 17, IR version 8: what libonnx 1.12 knows and every ONNX Runtime since 1.12 runs.
// Threads: a value like any other.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "tensor/spec.h"
#include "tensor/tensor.h"

namespace braid {

class OnnxGraph {
 public:
  using Attribute =
      std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>>;
  using Attributes = std::map<std::string, Attribute>;

  explicit OnnxGraph(const std::string& name);
  OnnxGraph(OnnxGraph&&) noexcept;
  OnnxGraph& operator=(OnnxGraph&&) noexcept;
  ~OnnxGraph();

  /// Returns the spec's name. An extent of -1 varies; on axis 0 it is the batch of every tensor.
  std::string input(const TensorSpec& spec);

  /// `values` has as many numbers as `shape` says; an empty shape is a scalar.
  std::string constant(const Shape& shape, std::span<const float> values);
  std::string constant(const Shape& shape, std::span<const std::int64_t> values);

  /// The name of the node's only output.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const Attributes& attributes = {});
  /// The names of its several outputs, such as those of Split.
  std::vector<std::string> nodes(const std::string& op, const std::vector<std::string>& inputs,
                                 std::size_t output_count, const Attributes& attributes = {});

  /// Makes `value` an output of the model under the spec's name.
  void output(const TensorSpec& spec, const std::string& value);

  /// ModelSpec::metadata of the model that is written.
  void metadata(const std::string& key, const std::string& value);

  /// The bytes of model.onnx. kInternal when ONNX's own checker finds the graph wrong: an operator
  /// that does not exist, a value that nothing gives.
  Result<std::string> serialise() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
