#pragma once
// Reading an operator's entry of fitted.json. Each error names the key, what is wrong and the cure.

#include <cstddef>
#include <string_view>
#include <vector>

#include "fusion/fusion_op.h"

namespace braid {

/// kInvalidArgument when there is no such key: `op` was never fitted.
Result<const Json*> fitted_key(const FusionSetup& setup, std::string_view op, std::string_view key);

/// A list of `count` finite numbers. `key` is for messages.
Result<std::vector<double>> fitted_list(const Json& value, std::string_view key, std::size_t count);

/// The value of each of the setup's inputs, in their order, from a map by name. An input without a
/// value and a value without an input are errors.
Result<std::vector<double>> fitted_by_input(const FusionSetup& setup, const Json& value,
                                            std::string_view key);

/// The position of a part's name among the setup's inputs. kInvalidArgument when it is none.
Result<std::size_t> input_index(const std::vector<FusionInput>& inputs, std::string_view name);

}  // namespace braid
