#include "model/complete_spec.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

Error refuse(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

/// The config may fix an axis that varies in the file, never the other way round: a request that
/// the config allows would fail in the runtime.
bool narrows(const TensorSpec& config, const TensorSpec& file) {
  if (config.dtype != file.dtype || config.shape.size() != file.shape.size()) {
    return false;
  }
  for (std::size_t axis = 0; axis < file.shape.size(); ++axis) {
    if (file.shape[axis] >= 0 && config.shape[axis] != file.shape[axis]) {
      return false;
    }
  }
  return true;
}

/// The config's tensors in the config's order.
Result<std::vector<TensorSpec>> chosen(const char* what, const std::vector<TensorSpec>& file,
                                       const std::vector<TensorSpec>& config) {
  std::vector<TensorSpec> chosen;
  for (const TensorSpec& wanted : config) {
    const auto found = std::ranges::find(file, wanted.name, &TensorSpec::name);
    if (found == file.end()) {
      return refuse(
          fmt::format("config names {} '{}', which the file does not have", what, wanted.name));
    }
    if (!narrows(wanted, *found)) {
      return refuse(fmt::format("config says {} {}, the file says {}; correct the config", what,
                                to_string(wanted), to_string(*found)));
    }
    if (wanted.optional && !found->optional) {
      return refuse(
          fmt::format("config says that {} '{}' is optional, but the file needs it: give "
                      "it an initializer of the same name",
                      what, wanted.name));
    }
    chosen.push_back(wanted);
  }
  return chosen;
}

}  // namespace

Result<ModelSpec> complete_spec(ModelSpec from_file, const ModelConfig& config) {
  ModelSpec spec = std::move(from_file);
  if (config.rows_max.value_or(0) > 0 && spec.rows_max == 0) {
    return refuse(
        fmt::format("max_batch_size is {}, but axis 0 of the file's tensors does not "
                    "vary; set max_batch_size: 0 or export the model with a free "
                    "batch axis",
                    *config.rows_max));
  }
  spec.rows_max = config.rows_max.value_or(spec.rows_max);
  if (config.inputs.empty()) {
    // Exporters list whole networks of weights as inputs with defaults: only a config means it.
    std::erase_if(spec.inputs, [](const TensorSpec& input) { return input.optional; });
  } else {
    for (const TensorSpec& input : spec.inputs) {
      if (!input.optional &&
          std::ranges::count(config.inputs, input.name, &TensorSpec::name) == 0) {
        return refuse(fmt::format("config leaves out input {}", to_string(input)));
      }
    }
    BRAID_TRY(spec.inputs, chosen("input", spec.inputs, config.inputs));
  }
  if (!config.outputs.empty()) {
    BRAID_TRY(spec.outputs, chosen("output", spec.outputs, config.outputs));
  }
  return spec;
}

}  // namespace braid
