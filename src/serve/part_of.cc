#include "serve/part_of.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "serve/pool_rows.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

/// Of `width` columns; 0: of as many as there are.
Result<void> check_rows(const Variant& variant, const Tensor& given, std::size_t width) {
  const bool fits = given.dtype() == DType::kFp32 && given.shape().size() == 2 &&
                    given.shape()[0] > 0 && (width == 0 || given.shape()[1] == width);
  if (!fits) {
    return Error{
        Code::kInternal,
        fmt::format("variant '{}' gave {} {}, but FP32 [rows, {}] is wanted", variant.config.name,
                    to_string(given.dtype()), to_string(given.shape()),
                    width == 0 ? "width" : std::to_string(width))};
  }
  return {};
}

Result<Tensor> scores(const Variant& variant, const Tensor& given, std::size_t class_count) {
  BRAID_TRY_DO(check_rows(variant, given, class_count));
  const Pool pool = variant.config.pool;
  Tensor row =
      variant.logits.has_value() ? pool_rows(given, pool) : pool_probabilities(given, pool);
  for (const float value : row.values<float>()) {
    if (!std::isfinite(value)) {
      return Error{Code::kInternal,
                   fmt::format("variant '{}' gave a score that is no number", variant.config.name)};
    }
  }
  return row;
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
    const Tensor& rows = outputs[*variant.embedding].tensor;
    BRAID_TRY_DO(
        check_rows(variant, rows, variant.domain == nullptr ? 0 : variant.domain->width()));
    part.embedding = pool_rows(rows, variant.config.pool);
  }
  if (variant.domain != nullptr) {
    part.out_of_domain = variant.domain->score(part.embedding->values<float>());
  }
  return part;
}

}  // namespace braid
