#pragma once
// DispatchSlots: which slots run, and until when they are predicted to.
// Threads: guarded by the dispatcher's lock.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/check.h"
#include "serve/dispatch_rule.h"

namespace braid {

class DispatchSlots {
 public:
  explicit DispatchSlots(std::size_t count) : ends_(count) { BRAID_CHECK(count > 0); }

  std::size_t count() const { return ends_.size(); }
  std::size_t busy_count() const { return busy_count_; }
  bool has_idle() const { return busy_count_ < ends_.size(); }

  bool all_idle() const { return busy_count_ == 0; }
  /// All must be idle; free_all() gives them back.
  void take_all(TimePoint predicted_end) {
    BRAID_CHECK(all_idle());
    std::ranges::fill(ends_, predicted_end);
    busy_count_ = ends_.size();
  }
  void free_all() {
    std::ranges::fill(ends_, std::nullopt);
    busy_count_ = 0;
  }

  /// One must be idle.
  std::size_t take(TimePoint predicted_end) {
    const auto idle = std::find(ends_.begin(), ends_.end(), std::nullopt);
    BRAID_CHECK(idle != ends_.end());
    *idle = predicted_end;
    ++busy_count_;
    return static_cast<std::size_t>(idle - ends_.begin());
  }

  void free(std::size_t slot) {
    BRAID_CHECK(ends_[slot].has_value());
    ends_[slot].reset();
    --busy_count_;
  }

  SlotSummary summary() const {
    SlotSummary summary{count() - busy_count_, TimePoint::max()};
    for (const auto& end : ends_) {
      summary.next_free = std::min(summary.next_free, end.value_or(TimePoint::max()));
    }
    return summary;
  }

 private:
  std::vector<std::optional<TimePoint>> ends_;
  std::size_t busy_count_ = 0;
};

}  // namespace braid
