#include "net/grpc/grpc_infer.h"

#include <charconv>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "net/bytes_framing.h"

namespace braid {
namespace {

using inference::InferParameter;
using inference::InferTensorContents;
using inference::ModelInferRequest;

constexpr int kRankMax = 32;
constexpr std::size_t kParametersMax = 1024;

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Result<Json> to_json(const google::protobuf::Map<std::string, InferParameter>& parameters) {
  if (parameters.size() > kParametersMax) {
    return wrong(fmt::format("{} parameters came; {} at most", parameters.size(), kParametersMax));
  }
  Json::Map map;
  for (const auto& [name, value] : parameters) {
    switch (value.parameter_choice_case()) {
      case InferParameter::kBoolParam:
        map.emplace_back(name, value.bool_param());
        break;
      case InferParameter::kInt64Param:
        map.emplace_back(name, std::int64_t{value.int64_param()});
        break;
      case InferParameter::kUint64Param:
        map.emplace_back(name, std::uint64_t{value.uint64_param()});
        break;
      case InferParameter::kDoubleParam:
        map.emplace_back(name, value.double_param());
        break;
      case InferParameter::kStringParam:
        map.emplace_back(name, value.string_param());
        break;
      case InferParameter::PARAMETER_CHOICE_NOT_SET:
        return wrong(fmt::format("parameter '{}' has no value", name.substr(0, 100)));
    }
  }
  return Json(std::move(map));
}

Result<Shape> shape_of(const ModelInferRequest::InferInputTensor& input) {
  if (input.shape_size() > kRankMax) {
    return wrong(fmt::format("a shape has {} axes at most", kRankMax));
  }
  Shape shape;
  for (const std::int64_t extent : input.shape()) {
    if (extent < 0) {
      return wrong("the size of an axis is a whole number that is not negative");
    }
    shape.push_back(static_cast<std::size_t>(extent));
  }
  return shape;
}

/// Numbers of a field that is wider than the tensor's type.
template <typename T, typename Field>
Result<Tensor> numbers(const Field& field, const Shape& shape) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (static_cast<std::size_t>(field.size()) != count) {
    return wrong(fmt::format("shape {} is {} elements, its contents have {}", to_string(shape),
                             count, field.size()));
  }
  BRAID_TRY(Tensor tensor, Tensor::zeros(DTypeOf<T>::value, shape));
  const std::span<T> values = tensor.mutable_values<T>();
  for (int i = 0; i < field.size(); ++i) {
    const auto value = field.Get(i);
    values[static_cast<std::size_t>(i)] = static_cast<T>(value);
    if (static_cast<decltype(value)>(values[static_cast<std::size_t>(i)]) != value &&
        value == value) {
      return wrong(fmt::format("element {} is {}, which {} cannot hold", i, value,
                               to_string(DTypeOf<T>::value)));
    }
  }
  return tensor;
}

Result<Tensor> strings(const InferTensorContents& contents, const Shape& shape) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (static_cast<std::size_t>(contents.bytes_contents_size()) != count) {
    return wrong(fmt::format("shape {} is {} elements, its contents have {}", to_string(shape),
                             count, contents.bytes_contents_size()));
  }
  const auto& elements = contents.bytes_contents();
  return Tensor::from_strings(shape, {elements.begin(), elements.end()});
}

/// How many elements all fields have together: only the one of the tensor's type may be filled.
int filled(const InferTensorContents& contents) {
  return contents.bool_contents_size() + contents.int_contents_size() +
         contents.int64_contents_size() + contents.uint_contents_size() +
         contents.uint64_contents_size() + contents.fp32_contents_size() +
         contents.fp64_contents_size() + contents.bytes_contents_size();
}

Error other_field(DType dtype, const char* field) {
  return wrong(fmt::format("{} belongs into {}, and another field of contents is filled",
                           to_string(dtype), field));
}

template <typename T, typename Field>
Result<Tensor> only(const Field& field, const char* name, const InferTensorContents& contents,
                    const Shape& shape) {
  return field.size() == filled(contents) ? numbers<T>(field, shape)
                                          : other_field(DTypeOf<T>::value, name);
}

Result<Tensor> typed_tensor(const InferTensorContents& all, DType dtype, const Shape& shape) {
  switch (dtype) {
    case DType::kBool:
      return only<bool>(all.bool_contents(), "bool_contents", all, shape);
    case DType::kInt8:
      return only<std::int8_t>(all.int_contents(), "int_contents", all, shape);
    case DType::kInt16:
      return only<std::int16_t>(all.int_contents(), "int_contents", all, shape);
    case DType::kInt32:
      return only<std::int32_t>(all.int_contents(), "int_contents", all, shape);
    case DType::kInt64:
      return only<std::int64_t>(all.int64_contents(), "int64_contents", all, shape);
    case DType::kUint8:
      return only<std::uint8_t>(all.uint_contents(), "uint_contents", all, shape);
    case DType::kUint16:
      return only<std::uint16_t>(all.uint_contents(), "uint_contents", all, shape);
    case DType::kUint32:
      return only<std::uint32_t>(all.uint_contents(), "uint_contents", all, shape);
    case DType::kUint64:
      return only<std::uint64_t>(all.uint64_contents(), "uint64_contents", all, shape);
    case DType::kFp32:
      return only<float>(all.fp32_contents(), "fp32_contents", all, shape);
    case DType::kFp64:
      return only<double>(all.fp64_contents(), "fp64_contents", all, shape);
    case DType::kBytes:
      return all.bytes_contents_size() == filled(all) ? strings(all, shape)
                                                      : other_field(dtype, "bytes_contents");
    case DType::kFp16:
    case DType::kBf16:
      break;
  }
  return wrong(fmt::format("{} has no typed contents; send it raw", to_string(dtype)));
}

Result<Tensor> read_tensor(const ModelInferRequest::InferInputTensor& input,
                           const GrpcWire::Raw* raw) {
  BRAID_TRY(const Json parameters, to_json(input.parameters()));
  for (const auto& [name, value] : *parameters.map()) {
    if (name.starts_with("shared_memory_")) {
      return Error{Code::kUnsupported, "shared memory is not offered here; send the data"};
    }
  }
  BRAID_TRY(const DType dtype, dtype_from(input.datatype().substr(0, 100)));
  BRAID_TRY(const Shape shape, shape_of(input));
  if (raw == nullptr) {
    return typed_tensor(input.contents(), dtype, shape);
  }
  if (input.contents().ByteSizeLong() > 0) {
    return wrong("it has contents, and the request raw_input_contents; use one of them");
  }
  return tensor_from_pieces(*raw, dtype, shape);
}

template <typename Named>
Result<void> check_name(const Named& each, const char* what, std::set<std::string_view>& seen) {
  if (each.name().empty()) {
    return wrong(fmt::format("an {} has no name", what));
  }
  if (!seen.insert(each.name()).second) {
    return wrong(fmt::format("{} '{}' comes twice", what, each.name().substr(0, 100)));
  }
  return {};
}

Result<void> read_inputs(const GrpcWire& wire, InferRequest& request) {
  const ModelInferRequest& message = wire.message();
  const std::vector<GrpcWire::Raw>& raw = wire.raw();
  if (message.inputs_size() == 0) {
    return wrong("there are no inputs");
  }
  if (!raw.empty() && raw.size() != static_cast<std::size_t>(message.inputs_size())) {
    return wrong(fmt::format("{} inputs came with {} raw_input_contents; there is one for each",
                             message.inputs_size(), raw.size()));
  }
  std::set<std::string_view> seen;
  for (int i = 0; i < message.inputs_size(); ++i) {
    const auto& input = message.inputs(i);
    BRAID_TRY_DO(check_name(input, "input", seen));
    const auto* own = raw.empty() ? nullptr : &raw[static_cast<std::size_t>(i)];
    BRAID_TRY(
        Tensor tensor,
        read_tensor(input, own).within(fmt::format("input '{}'", input.name().substr(0, 100))));
    request.inputs.push_back({input.name(), std::move(tensor)});
  }
  return {};
}

}  // namespace

Result<std::optional<std::int64_t>> version_from(const std::string& text) {
  if (text.empty()) {
    return std::optional<std::int64_t>();
  }
  std::int64_t version = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (failure != std::errc() || end != text.data() + text.size() || version < 1 ||
      text.front() == '0') {
    return wrong(fmt::format("version '{}' is not a whole number from 1", text.substr(0, 100)));
  }
  return std::optional(version);
}

Result<InferRequest> read_infer(const GrpcWire& wire) {
  const ModelInferRequest& message = wire.message();
  InferRequest request;
  request.id = message.id();
  request.binary_output = true;
  BRAID_TRY(const Json parameters, to_json(message.parameters()));
  BRAID_TRY_DO(read_parameters(parameters, request));
  BRAID_TRY_DO(read_inputs(wire, request));
  std::set<std::string_view> seen;
  for (const auto& output : message.outputs()) {
    BRAID_TRY_DO(check_name(output, "output", seen));
    BRAID_TRY(const Json wanted, to_json(output.parameters()));
    RequestedOutput& requested = request.outputs.emplace_back();
    requested.name = output.name();
    BRAID_TRY_DO(read_output_parameters(wanted, requested));
  }
  return request;
}

void write_infer(const InferReply& reply, inference::ModelInferResponse& message) {
  message.set_model_name(reply.model);
  message.set_model_version(reply.version);
  message.set_id(reply.id);
  for (const auto& [name, tensor] : reply.outputs) {
    auto& output = *message.add_outputs();
    output.set_name(name);
    output.set_datatype(to_string(tensor.dtype()));
    for (const std::size_t extent : tensor.shape()) {
      output.add_shape(static_cast<std::int64_t>(extent));
    }
    std::string& raw = *message.add_raw_output_contents();
    raw.reserve(framed_size(tensor.view()));
    append_bytes(tensor.view(), raw);
  }
}

}  // namespace braid
