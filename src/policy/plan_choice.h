#pragma once
// What several policies share: reading plan names from settings, and choosing among the plans that
// an observation allows.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace braid {

/// The index of `name` among the pipeline's plans. kInvalidArgument, with the line of `key` in
/// `place`, lists the plans that there are.
Result<std::size_t> plan_named(const std::vector<std::string>& plans, const Settings& place,
                               const std::string& key, const std::string& name);

/// The plans that the list under `key` names, in its order; all plans when there is no list.
/// kInvalidArgument for an empty list or a plan that comes twice.
Result<std::vector<std::size_t>> plans_named(const PolicySetup& setup, const std::string& key);

/// Whether plan `index` is there and may run now.
bool is_allowed(const Observation& seen, std::size_t index);

/// The allowed plan of the least cost, the first of equals.
std::optional<std::size_t> cheapest_allowed(const Observation& seen);

}  // namespace braid
