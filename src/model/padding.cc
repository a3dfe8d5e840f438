#include "model/padding.h"

#include <algorithm>
#include <bit>

#include "model/model.h"

namespace braid {
namespace {

constexpr const char* kUsualMask = "attention_mask";
constexpr const char* kParameter = "padding_mask";

bool has_free_length(const TensorSpec& spec) {
  return spec.shape.size() >= 2 && spec.shape[1] < 0 && spec.dtype != DType::kBytes;
}

std::vector<std::string> with_free_length(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) {
    if (has_free_length(spec)) {
      names.push_back(spec.name);
    }
  }
  return names;
}

}  // namespace

Padding padding_of(const ModelSpec& spec, const ModelConfig& config) {
  const auto parameter = config.parameters.find(kParameter);
  const std::string mask = parameter == config.parameters.end() ? kUsualMask : parameter->second;
  const auto found = std::ranges::find(spec.inputs, mask, &TensorSpec::name);
  if (spec.rows_max == 0 || found == spec.inputs.end() || !has_free_length(*found) ||
      found->shape.size() != 2 || found->optional) {
    return {};
  }
  return {mask, with_free_length(spec.inputs), with_free_length(spec.outputs)};
}

std::size_t padded_length(const Padding& padding, const NamedTensors& inputs) {
  std::size_t length = 0;
  for (const auto& [name, tensor] : inputs) {
    if (std::ranges::find(padding.inputs, name) == padding.inputs.end()) {
      continue;
    }
    const Shape& shape = tensor.shape();
    if (shape.size() < 2 || (length != 0 && shape[1] != length)) {
      return 0;
    }
    length = shape[1];
  }
  return length;
}

std::size_t bucket_length(std::size_t length) {
  const std::size_t step = std::max<std::size_t>(16, std::bit_floor(length) / 8);
  return (length + step - 1) / step * step;
}

}  // namespace braid
