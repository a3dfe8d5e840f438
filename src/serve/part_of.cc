#include "serve/part_of.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tensor/softmax.h"

namespace braid {
namespace {

Result<Tensor> scores(const Variant& variant, const Tensor& given, std::size_t class_count) {
  const bool fits = given.dtype() == DType::kFp32 && given.shape().size() == 2 &&
                    given.shape()[0] == 1 && given.shape()[1] == class_count;
  if (!fits) {
    return Error{Code::kInternal, fmt::format("variant '{}' gave {} {}, but FP32 [1, {}] is wanted",
                                              variant.config.name, to_string(given.dtype()),
                                              to_string(given.shape()), class_count)};
  }
  for (const float value : given.values<float>()) {
    if (!std::isfinite(value)) {
      return Error{Code::kInternal,
                   fmt::format("variant '{}' gave a score that is no number", variant.config.name)};
    }
  }
  return given.clone();
}

}  // namespace

void calibrate_logits(std::span<float> values, std::size_t class_count, double temperature) {
  for (std::size_t begin = 0; begin < values.size(); begin += class_count) {
    const std::span<float> row = values.subspan(begin, class_count);
    for (float& value : row) {
      value = static_cast<float>(value / temperature);
    }
    softmax(row);
  }
}

void calibrate_probabilities(std::span<float> values, std::size_t class_count, double temperature) {
  if (temperature == 1) {
    return;
  }
  for (float& value : values) {
    value = floored_log(value);
  }
  calibrate_logits(values, class_count, temperature);
}

Result<BranchPart> part_of(const Variant& variant, const NamedTensors& outputs,
                           std::size_t class_count) {
  BranchPart part;
  part.space = variant.config.space;
  part.absent.reset();
  if (variant.logits.has_value()) {
    BRAID_TRY(part.probabilities, scores(variant, outputs[*variant.logits].tensor, class_count));
    calibrate_logits(part.probabilities->mutable_values<float>(), class_count, variant.temperature);
  } else if (variant.probabilities.has_value()) {
    BRAID_TRY(part.probabilities,
              scores(variant, outputs[*variant.probabilities].tensor, class_count));
    calibrate_probabilities(part.probabilities->mutable_values<float>(), class_count,
                            variant.temperature);
  }
  if (variant.embedding.has_value()) {
    part.embedding = outputs[*variant.embedding].tensor.clone();
  }
  return part;
}

}  // namespace braid
