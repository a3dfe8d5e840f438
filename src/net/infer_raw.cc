#include "net/infer_raw.h"

#include <utility>

#include <fmt/format.h>

#include "net/bytes_framing.h"

namespace braid {
namespace {

Error wrong(std::string message) {
  return Error{Code::kInvalidArgument, "raw binary request: " + std::move(message)};
}

/// The spec's shape with one row and with its variable axis, if it has one, from the size.
Result<Shape> shape_from_size(const TensorSpec& spec, bool has_batch_axis, std::size_t size) {
  Shape shape;
  std::optional<std::size_t> variable;
  std::size_t fixed = element_size(spec.dtype);
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const bool is_batch = axis == 0 && has_batch_axis;
    const std::int64_t extent = is_batch ? 1 : spec.shape[axis];
    if (extent < 0 && variable.has_value()) {
      return wrong(
          fmt::format("{} has more than one variable axis; send a JSON header", to_string(spec)));
    }
    if (extent < 0) {
      variable = axis;
    }
    shape.push_back(extent < 0 ? 1 : static_cast<std::size_t>(extent));
    fixed *= shape.back();
  }
  if (variable.has_value()) {
    shape[*variable] = fixed == 0 ? 0 : size / fixed;
  }
  if (size == 0 || (variable.has_value() && size % fixed != 0)) {
    return wrong(fmt::format("{} bytes do not fit {}", size, to_string(spec)));
  }
  return shape;
}

}  // namespace

Result<InferRequest> raw_request(const ModelSpec& spec, Bytes body) {
  if (spec.inputs.size() != 1) {
    return wrong(fmt::format("the model has {} inputs, and this is for one; send a JSON header",
                             spec.inputs.size()));
  }
  const TensorSpec& input = spec.inputs.front();
  InferRequest request;
  request.binary_output = true;
  if (input.dtype == DType::kBytes) {
    const Shape ones(input.shape.size(), 1);
    BRAID_TRY(Tensor tensor, Tensor::from_strings(ones, {std::string(body)}));
    request.inputs.push_back({input.name, std::move(tensor)});
    return request;
  }
  BRAID_TRY(const Shape shape, shape_from_size(input, spec.rows_max > 0, body.size()));
  BRAID_TRY(Tensor tensor, tensor_from_bytes(body, input.dtype, shape));
  request.inputs.push_back({input.name, std::move(tensor)});
  return request;
}

}  // namespace braid
