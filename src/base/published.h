#pragma once
// Published<T>: a constant that is replaced whole. Readers keep the snapshot they took for as long
// as they like; a writer never waits for them. A mutex around a shared_ptr, since g++ 12's
// std::atomic<std::shared_ptr> makes TSan report a race inside libstdc++.
// Threads: get() and publish() from any.

#include <memory>
#include <utility>

#include "base/mutex.h"

namespace braid {

template <typename T>
class Published {
 public:
  explicit Published(std::shared_ptr<const T> first) : current_(std::move(first)) {}

  std::shared_ptr<const T> get() const {
    const Lock lock(mutex_);
    return current_;
  }

  /// Returns what was published before, so that its destructor runs outside the lock.
  std::shared_ptr<const T> publish(std::shared_ptr<const T> next) {
    const Lock lock(mutex_);
    return std::exchange(current_, std::move(next));
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const T> current_ GUARDED_BY(mutex_);
};

}  // namespace braid
