#include "policy/plan_choice.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {

Result<std::size_t> plan_named(const std::vector<std::string>& plans, const Settings& place,
                               const std::string& key, const std::string& name) {
  const auto found = std::ranges::find(plans, name);
  if (found != plans.end()) {
    return static_cast<std::size_t>(found - plans.begin());
  }
  const std::string nearest = nearest_word(name, {plans.begin(), plans.end()});
  const std::string hint = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
  return place.error(key, fmt::format("no plan '{}'{}; the pipeline's plans: {}", name, hint,
                                      fmt::join(plans, ", ")));
}

Result<std::vector<std::size_t>> plans_named(const PolicySetup& setup, const std::string& key) {
  BRAID_TRY(const std::vector<std::string> names, setup.settings.texts(key, setup.plans));
  if (names.empty()) {
    return setup.settings.error(key, "the list is empty; name at least one plan");
  }
  std::vector<std::size_t> plans;
  for (const std::string& name : names) {
    BRAID_TRY(const std::size_t index, plan_named(setup.plans, setup.settings, key, name));
    if (std::ranges::find(plans, index) != plans.end()) {
      return setup.settings.error(key, fmt::format("plan '{}' comes twice", name));
    }
    plans.push_back(index);
  }
  return plans;
}

bool is_allowed(const Observation& seen, std::size_t index) {
  return index < seen.plans.size() && seen.plans[index].barred.empty();
}

std::optional<std::size_t> cheapest_allowed(const Observation& seen) {
  std::optional<std::size_t> cheapest;
  for (std::size_t i = 0; i < seen.plans.size(); ++i) {
    const bool is_cheaper =
        !cheapest || seen.plans[i].cost_core_ms < seen.plans[*cheapest].cost_core_ms;
    if (is_allowed(seen, i) && is_cheaper) {
      cheapest = i;
    }
  }
  return cheapest;
}

}  // namespace braid
