#include "serve/head_batch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid {
namespace {

Tensor presence(const PartRows& part, std::size_t row_count) {
  Tensor column = *Tensor::zeros(DType::kFp32, Shape{row_count, 1});
  for (std::size_t row = 0; row < row_count; ++row) {
    column.mutable_values<float>()[row] = part.present[row] != 0 ? 1.0F : 0.0F;
  }
  return column;
}

Tensor filled(const std::optional<Tensor>& said, const PartRows& part, std::size_t row_count,
              const TensorSpec& spec) {
  if (!said.has_value()) {
    const auto width = static_cast<std::size_t>(
        spec.shape.size() == 2 ? std::max<std::int64_t>(spec.shape[1], 1) : 1);
    return *Tensor::zeros(DType::kFp32, Shape{row_count, width});
  }
  Tensor rows = said->clone();
  const std::size_t row_bytes = rows.size_bytes() / row_count;
  for (std::size_t row = 0; row < row_count; ++row) {
    if (part.present[row] == 0) {
      std::ranges::fill(rows.mutable_bytes().subspan(row * row_bytes, row_bytes), std::byte{0});
    }
  }
  return rows;
}

}  // namespace

NamedTensors head_inputs(const ModelSpec& head, std::size_t row_count,
                         const std::function<const PartRows*(const std::string&)>& part) {
  NamedTensors inputs;
  for (const TensorSpec& spec : head.inputs) {
    const std::size_t dot = spec.name.rfind('.');
    const PartRows& rows = *part(spec.name.substr(0, dot));
    const std::string role = spec.name.substr(dot + 1);
    if (role == "present") {
      inputs.push_back({spec.name, presence(rows, row_count)});
    } else {
      const auto& said = role == "embedding" ? rows.embedding : rows.probabilities;
      inputs.push_back({spec.name, filled(said, rows, row_count, spec)});
    }
  }
  return inputs;
}

Result<void> read_head(Result<NamedTensors> outputs, double temperature, std::size_t class_count,
                       PartRows& rows) {
  BRAID_TRY(NamedTensors given, std::move(outputs));
  for (NamedTensor& output : given) {
    if (output.name == "embedding") {
      rows.embedding = std::move(output.tensor);
      continue;
    }
    if (output.name != "logits" && output.name != "probabilities") {
      continue;
    }
    const Shape wanted = {rows.present.size(), class_count};
    if (output.tensor.dtype() != DType::kFp32 || output.tensor.shape() != wanted) {
      return Error{Code::kInternal,
                   fmt::format("the head gave {} {}, but FP32 {} is wanted",
                               to_string(output.tensor.dtype()), to_string(output.tensor.shape()),
                               to_string(wanted))};
    }
    const std::span<float> values = output.tensor.mutable_values<float>();
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      return Error{Code::kInternal, "the head gave a score that is no number"};
    }
    if (output.name == "logits") {
      calibrate_logits(values, class_count, temperature);
    } else {
      calibrate_probabilities(values, class_count, temperature);
    }
    rows.probabilities = std::move(output.tensor);
  }
  return {};
}

}  // namespace braid
