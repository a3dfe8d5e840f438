#include "fusion/fitted_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid {
namespace {

Error wrong(std::string_view key, std::string_view what) {
  return {Code::kInvalidArgument, fmt::format("fitted '{}' {}; run `braid fit` again", key, what)};
}

}  // namespace

Result<const Json*> fitted_key(const FusionSetup& setup, std::string_view op,
                               std::string_view key) {
  const Json* value = setup.fitted.find(key);
  if (value == nullptr) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} needs '{}', and this node's entry of fitted.json has none; run "
                             "`braid fit`",
                             op, key)};
  }
  return value;
}

Result<std::vector<double>> fitted_list(const Json& value, std::string_view key,
                                        std::size_t count) {
  if (value.list() == nullptr || value.list()->size() != count) {
    return wrong(key, value.list() == nullptr ? fmt::format("is {}, not a list", value.kind())
                                              : fmt::format("has {} values where {} belong",
                                                            value.list()->size(), count));
  }
  std::vector<double> numbers;
  for (const Json& each : *value.list()) {
    if (!each.is_number() || !std::isfinite(each.number())) {
      return wrong(key, fmt::format("holds {} that is no finite number", each.kind()));
    }
    numbers.push_back(each.number());
  }
  return numbers;
}

Result<std::vector<double>> fitted_by_input(const FusionSetup& setup, const Json& value,
                                            std::string_view key) {
  if (value.map() == nullptr) {
    return wrong(key, fmt::format("is {}, not a map", value.kind()));
  }
  for (const auto& [name, unused] : *value.map()) {
    if (std::ranges::find(setup.inputs, name, &FusionInput::name) == setup.inputs.end()) {
      return wrong(key, fmt::format("names '{}', which is no input of this node", name));
    }
  }
  std::vector<double> numbers;
  for (const FusionInput& input : setup.inputs) {
    const Json* number = value.find(input.name);
    if (number == nullptr || !number->is_number() || !std::isfinite(number->number())) {
      return wrong(key, fmt::format("has no number for input '{}'", input.name));
    }
    numbers.push_back(number->number());
  }
  return numbers;
}

Result<std::size_t> input_index(const std::vector<FusionInput>& inputs, std::string_view name) {
  const auto found = std::ranges::find(inputs, name, &FusionInput::name);
  if (found == inputs.end()) {
    return Error{Code::kInvalidArgument, fmt::format("part '{}' is no input of this node", name)};
  }
  return static_cast<std::size_t>(found - inputs.begin());
}

}  // namespace braid
