#pragma once
// BatchConfig: how rows of different requests may share a run, and how long and in which order
// requests wait for it. Triton's dynamic_batching, or Braid's defaults.

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace braid {

namespace triton {
class ModelConfig;  // generated from triton_config.proto
}
struct TritonText;

/// Who may wait. Of one priority level, or of all that have none of their own.
struct QueuePolicy {
  enum class TimeoutAction { kReject, kDelay };  // kDelay: served after all others
  TimeoutAction timeout_action = TimeoutAction::kReject;
  std::optional<Duration> timeout = {};  // unset: the request's own deadline only
  std::size_t requests_max = 0;          // waiting at once; 0: the server's bound on rows only
};

struct BatchConfig {
  std::size_t rows_max = 32;                          // small heads hardly gain beyond it
  Duration wait_max = std::chrono::milliseconds(50);  // half of a usual budget of 100 ms
  std::vector<std::size_t> preferred_rows = {};       // from preferred_batch_size

  std::size_t priority_levels = 0;   // 0: every request has the same
  std::size_t priority_default = 0;  // of requests that name none
  QueuePolicy queue = {};
  std::map<std::size_t, QueuePolicy> queue_of_level = {};

  const QueuePolicy& queue_at(std::size_t level) const {
    const auto own = queue_of_level.find(level);
    return own == queue_of_level.end() ? queue : own->second;
  }
};

/// Unset where rows of different requests stay apart. `rows_max` is the config's max_batch_size.
/// kInvalidArgument with field, file and line.
Result<std::optional<BatchConfig>> read_batching(const TritonText& text,
                                                 const triton::ModelConfig& from,
                                                 std::optional<std::size_t> rows_max);

}  // namespace braid
