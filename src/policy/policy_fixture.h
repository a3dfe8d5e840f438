#pragma once
// For the tests of single policies: plans 'small', 'middle' and 'large', inputs 'picture' and
// 'note'.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "policy/policy.h"

namespace braid {

inline const std::vector<std::string> kTestPlans = {"small", "middle", "large"};
inline constexpr std::size_t kSmall = 0, kMiddle = 1, kLarge = 2;

inline Result<std::unique_ptr<Policy>> make_policy(const std::string& name,
                                                   const std::string& settings) {
  Registry<Policy> registry("policy");
  register_policy_policies(registry);
  return registry.make(
      name,
      {.settings = *Settings::parse(settings), .plans = kTestPlans, .inputs = {"picture", "note"}});
}

/// Before the first step, all plans allowed, at a cost of 1, 2 and 3 core-ms.
inline Observation first_look() {
  Observation seen;
  for (const std::string& plan : kTestPlans) {
    PlanSeen row;
    row.name = plan;
    row.cost_core_ms = 1 + static_cast<double>(seen.plans.size());
    seen.plans.push_back(std::move(row));
  }
  return seen;
}

/// After so many steps, the last of which ran `plan`.
inline Observation after(std::size_t steps_run, std::size_t plan, double confidence) {
  Observation seen = first_look();
  seen.steps_run = steps_run;
  seen.last_plan = plan;
  seen.evidence = Evidence{.confidence = confidence, .uncertainty = 0.5, .label = 0};
  return seen;
}

}  // namespace braid
