#pragma once
// Gate: shutdown as a noun. Who works holds a Pass; close() lets nobody else in and waits until the
// last Pass is gone. Threads: every function from any. Life: once closed, closed for good.

#include <cstddef>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"

namespace braid {

class Gate {
 public:
  /// Proof of being inside; leaves when destroyed.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept {
      std::swap(gate_, other.gate_);
      return *this;
    }
    ~Pass() {
      if (gate_ != nullptr) {
        gate_->leave();
      }
    }

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    Gate* gate_;
  };

  /// Nothing once the gate is closed.
  std::optional<Pass> enter();

  /// Waits for those inside, at most until `until`. True when nobody is left.
  bool close(const Clock& clock, TimePoint until = TimePoint::max());

  std::size_t inside() const;

 private:
  void leave();

  mutable Mutex mutex_;
  Condition left_;
  std::size_t inside_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace braid
