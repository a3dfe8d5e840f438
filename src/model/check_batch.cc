#include "model/check_batch.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

std::string names_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string_view> names;
  for (const TensorSpec& spec : specs) {
    names.emplace_back(spec.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Error refuse(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Result<void> check_input(const ModelSpec& spec, const Batch& batch, const NamedTensor& input) {
  const auto wanted = std::ranges::find(spec.inputs, input.name, &TensorSpec::name);
  if (wanted == spec.inputs.end()) {
    return refuse(
        fmt::format("no input '{}'; the model takes: {}", input.name, names_of(spec.inputs)));
  }
  if (std::ranges::count(batch.inputs, input.name, &NamedTensor::name) > 1) {
    return refuse(fmt::format("input '{}' comes twice", input.name));
  }
  if (spec.rows_max > 0 && input.tensor.row_count() != batch.row_count) {
    return refuse(fmt::format("input '{}' has {} rows, the batch has {}", input.name,
                              input.tensor.row_count(), batch.row_count));
  }
  return check_fits(*wanted, input.tensor.view());
}

}  // namespace

Result<void> check_batch(const ModelSpec& spec, const Batch& batch) {
  for (const NamedTensor& input : batch.inputs) {
    if (Result<void> checked = check_input(spec, batch, input); !checked.has_value()) {
      return checked;
    }
  }
  for (const TensorSpec& wanted : spec.inputs) {
    if (!wanted.optional && find_tensor(batch.inputs, wanted.name) == nullptr) {
      return refuse(fmt::format("input '{}' is missing: {}", wanted.name, to_string(wanted)));
    }
  }
  if (spec.rows_max > 0 && batch.row_count > spec.rows_max) {
    return refuse(
        fmt::format("{} rows came, but {} is the most of one run", batch.row_count, spec.rows_max));
  }
  return {};
}

}  // namespace braid
