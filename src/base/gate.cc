#include "base/gate.h"

namespace braid {

std::optional<Gate::Pass> Gate::enter() {
  const Lock lock(mutex_);
  if (closed_) {
    return std::nullopt;
  }
  ++inside_;
  return Pass(this);
}

// Notifies under the lock: whoever waits may destroy the gate as soon as it sees nobody inside.
void Gate::leave() {
  const Lock lock(mutex_);
  if (--inside_ == 0) {
    left_.notify_all();
  }
}

bool Gate::close(const Clock& clock, TimePoint until) {
  const Lock lock(mutex_);
  closed_ = true;
  while (inside_ > 0 && clock.now() < until) {
    clock.wait_until(left_, mutex_, until);
  }
  return inside_ == 0;
}

std::size_t Gate::inside() const {
  const Lock lock(mutex_);
  return inside_;
}

}  // namespace braid
