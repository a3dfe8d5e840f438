#pragma once
// What the policy sees: predicted times and costs of each plan, and which of them may run. Values
// in, values out; the walk brings them together.

#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "serve/dispatcher.h"
#include "serve/live.h"
#include "serve/request.h"

namespace braid {

/// How far a request has come.
struct Progress {
  std::vector<char> input_sent;                        // as PipelineConfig::inputs: its bytes came
  std::vector<char> input_encoded;                     // and are encoded already
  std::vector<std::optional<std::size_t>> branch_ran;  // the variant that ran, as branches
  std::size_t steps_run = 0;
  std::optional<std::size_t> last_plan = {};
  std::optional<Evidence> evidence = {};
  double spent_core_ms = 0;
  Duration elapsed{};
  Duration left{};  // until the deadline
};

/// Index of the plan's variant of this branch; nothing when the plan skips the branch.
std::optional<std::size_t> variant_of(const Pipeline& pipeline, const PlanConfig& plan,
                                      std::size_t branch_index);

/// Whether every raw input that the variant needs was sent.
bool can_run(const Pipeline& pipeline, const Variant& variant, const std::vector<char>& input_sent);

Observation observe(const Live& live, const Dispatcher& dispatcher, const Request& request,
                    const Progress& progress);

/// The policy's action, or the nearest allowed one: the cheapest plan that may run while there is
/// no answer in hand, else the answer. `clamped` says whether it differs.
Action clamp(const Action& wanted, const Observation& seen, bool& clamped);

}  // namespace braid
