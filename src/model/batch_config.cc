#include "model/batch_config.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "model/check_batch.h"
#include "model/triton_config.pb.h"
#include "model/triton_text.h"

namespace braid {
namespace {

// Longer waits are cut by the requests' deadlines in any case, and a year overflows a Duration.
constexpr std::uint64_t kWaitMaxMicroseconds = 3'600'000'000;

// A level has a policy and a place in each queue; more is a slip of the pen.
constexpr std::uint64_t kLevelsMax = 1000;

Error wrong(const TritonText& text, std::string_view words) {
  return text.error("dynamic_batching", fmt::format("dynamic_batching: {}", words));
}

Duration wait_of(std::uint64_t microseconds) {
  return std::chrono::microseconds(std::min(microseconds, kWaitMaxMicroseconds));
}

QueuePolicy read_policy(const triton::ModelQueuePolicy& from) {
  QueuePolicy policy;
  if (from.timeout_action() == triton::ModelQueuePolicy::DELAY) {
    policy.timeout_action = QueuePolicy::TimeoutAction::kDelay;
  }
  if (from.default_timeout_microseconds() > 0) {
    policy.timeout = wait_of(from.default_timeout_microseconds());
  }
  policy.requests_max = from.max_queue_size();
  return policy;
}

Result<void> read_priorities(const TritonText& text, const triton::ModelDynamicBatching& from,
                             BatchConfig& into) {
  const std::uint64_t levels = from.priority_levels();
  const std::uint64_t standard = from.default_priority_level();
  if (levels > kLevelsMax) {
    return wrong(text, fmt::format("priority_levels {} is above {}", levels, kLevelsMax));
  }
  if (levels > 0 && (standard < 1 || standard > levels)) {
    return wrong(text, fmt::format("default_priority_level {} is outside 1 to {}, the "
                                   "priority_levels",
                                   standard, levels));
  }
  into.priority_levels = static_cast<std::size_t>(levels);
  into.priority_default = levels > 0 ? static_cast<std::size_t>(standard) : 0;
  for (const auto& [level, policy] : from.priority_queue_policy()) {
    if (level < 1 || level > levels) {
      return wrong(text, fmt::format("priority_queue_policy has key {}, outside 1 to {}, the "
                                     "priority_levels",
                                     level, levels));
    }
    into.queue_of_level[static_cast<std::size_t>(level)] = read_policy(policy);
  }
  return {};
}

}  // namespace

Result<std::optional<BatchConfig>> read_batching(const TritonText& text,
                                                 const triton::ModelConfig& from,
                                                 std::optional<std::size_t> rows_max) {
  // A config that leaves the tensors to the file leaves batching to it as well; Triton completes
  // it with an empty dynamic_batching.
  if (rows_max == 0U || (!from.has_dynamic_batching() && rows_max.has_value())) {
    return std::optional<BatchConfig>();
  }
  const triton::ModelDynamicBatching& batching = from.dynamic_batching();
  BatchConfig config;
  config.rows_max = rows_max.value_or(kRowsDefault);
  config.wait_max = wait_of(batching.max_queue_delay_microseconds());
  for (const int rows : batching.preferred_batch_size()) {
    if (rows < 1 || static_cast<std::size_t>(rows) > config.rows_max) {
      return wrong(
          text, fmt::format("preferred_batch_size {} is outside 1 to {}", rows, config.rows_max));
    }
    config.preferred_rows.push_back(static_cast<std::size_t>(rows));
  }
  BRAID_TRY_DO(read_priorities(text, batching, config));
  config.queue = read_policy(batching.default_queue_policy());
  return std::optional<BatchConfig>(std::move(config));
}

}  // namespace braid
