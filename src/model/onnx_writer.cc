#include "model/onnx_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

namespace braid {
namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;

constexpr std::pair<DType, onnx::TensorProto_DataType> kTypes[] = {
    {DType::kBool, onnx::TensorProto::BOOL},     {DType::kUint8, onnx::TensorProto::UINT8},
    {DType::kUint16, onnx::TensorProto::UINT16}, {DType::kUint32, onnx::TensorProto::UINT32},
    {DType::kUint64, onnx::TensorProto::UINT64}, {DType::kInt8, onnx::TensorProto::INT8},
    {DType::kInt16, onnx::TensorProto::INT16},   {DType::kInt32, onnx::TensorProto::INT32},
    {DType::kInt64, onnx::TensorProto::INT64},   {DType::kFp16, onnx::TensorProto::FLOAT16},
    {DType::kBf16, onnx::TensorProto::BFLOAT16}, {DType::kFp32, onnx::TensorProto::FLOAT},
    {DType::kFp64, onnx::TensorProto::DOUBLE},   {DType::kBytes, onnx::TensorProto::STRING},
};

onnx::TensorProto_DataType onnx_type(DType dtype) {
  return std::ranges::find(kTypes, dtype, [](const auto& pair) { return pair.first; })->second;
}

void describe(const TensorSpec& spec, onnx::ValueInfoProto& value) {
  value.set_name(spec.name);
  onnx::TypeProto_Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx_type(spec.dtype));
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    onnx::TensorShapeProto_Dimension& extent = *type.mutable_shape()->add_dim();
    if (spec.shape[axis] >= 0) {
      extent.set_dim_value(spec.shape[axis]);
    } else {
      extent.set_dim_param(axis == 0 ? "rows" : fmt::format("{}_{}", spec.name, axis));
    }
  }
}

/// Sets the attribute to whichever kind the variant holds.
struct AttributeSetter {
  onnx::AttributeProto& into;

  void operator()(std::int64_t value) const {
    into.set_type(onnx::AttributeProto::INT);
    into.set_i(value);
  }
  void operator()(float value) const {
    into.set_type(onnx::AttributeProto::FLOAT);
    into.set_f(value);
  }
  void operator()(const std::string& value) const {
    into.set_type(onnx::AttributeProto::STRING);
    into.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    into.set_type(onnx::AttributeProto::INTS);
    into.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    into.set_type(onnx::AttributeProto::FLOATS);
    into.mutable_floats()->Add(values.begin(), values.end());
  }
};

}  // namespace

struct OnnxGraph::State {
  onnx::ModelProto model;
  std::size_t value_count = 0;

  onnx::GraphProto& graph() { return *model.mutable_graph(); }
  std::string fresh_name(const std::string& kind) {
    return fmt::format("{}_{}", kind, value_count++);
  }
  std::string add_constant(onnx::TensorProto_DataType type, const Shape& shape, const void* bytes,
                           std::size_t size) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(fresh_name("constant"));
    tensor.set_data_type(type);
    for (const std::size_t extent : shape) {
      tensor.add_dims(static_cast<std::int64_t>(extent));
    }
    tensor.set_raw_data(bytes, size);
    return tensor.name();
  }
};

OnnxGraph::OnnxGraph(const std::string& name) : state_(std::make_unique<State>()) {
  onnx::ModelProto& model = state_->model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("braid");
  model.add_opset_import()->set_version(kOpset);
  state_->graph().set_name(name);
}

OnnxGraph::OnnxGraph(OnnxGraph&&) noexcept = default;
OnnxGraph& OnnxGraph::operator=(OnnxGraph&&) noexcept = default;
OnnxGraph::~OnnxGraph() = default;

std::string OnnxGraph::input(const TensorSpec& spec) {
  describe(spec, *state_->graph().add_input());
  return spec.name;
}

std::string OnnxGraph::constant(const Shape& shape, std::span<const float> values) {
  BRAID_CHECK(shape.empty() ? values.size() == 1 : *element_count(shape) == values.size());
  return state_->add_constant(onnx::TensorProto::FLOAT, shape, values.data(), values.size_bytes());
}

std::string OnnxGraph::constant(const Shape& shape, std::span<const std::int64_t> values) {
  BRAID_CHECK(shape.empty() ? values.size() == 1 : *element_count(shape) == values.size());
  return state_->add_constant(onnx::TensorProto::INT64, shape, values.data(), values.size_bytes());
}

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                            const Attributes& attributes) {
  return std::move(nodes(op, inputs, 1, attributes).front());
}

std::vector<std::string> OnnxGraph::nodes(const std::string& op,
                                          const std::vector<std::string>& inputs,
                                          std::size_t output_count, const Attributes& attributes) {
  BRAID_CHECK(output_count > 0);
  onnx::NodeProto& node = *state_->graph().add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  for (const auto& [name, value] : attributes) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    std::visit(AttributeSetter{attribute}, value);
  }
  for (std::size_t i = 0; i < output_count; ++i) {
    node.add_output(state_->fresh_name(op));
  }
  node.set_name(node.output(0));
  return {node.output().begin(), node.output().end()};
}

void OnnxGraph::output(const TensorSpec& spec, const std::string& value) {
  describe(spec, *state_->graph().add_output());
  onnx::NodeProto& node = *state_->graph().add_node();  // the runtime removes it again
  node.set_op_type("Identity");
  node.set_name(spec.name);
  node.add_input(value);
  node.add_output(spec.name);
}

void OnnxGraph::metadata(const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *state_->model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

Result<std::string> OnnxGraph::serialise() const {
  try {
    onnx::checker::check_model(state_->model);
  } catch (const std::exception& failure) {
    std::string words = failure.what();
    std::ranges::replace(words, '\n', ' ');
    return Error{Code::kInternal, fmt::format("the ONNX graph '{}' is wrong: {}",
                                              state_->model.graph().name(), words)};
  }
  return state_->model.SerializeAsString();
}

}  // namespace braid
