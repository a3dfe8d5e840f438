#pragma once
// Mutex, Lock, Condition: the standard ones with marks that clang's -Wthread-safety checks, so
// that touching a GUARDED_BY member without its lock does not compile. Others ignore the marks.

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define BRAID_LOCK_MARK(mark) __attribute__((mark))
#else
#define BRAID_LOCK_MARK(mark)
#endif

#define GUARDED_BY(mutex) BRAID_LOCK_MARK(guarded_by(mutex))         // on a member
#define REQUIRES(mutex) BRAID_LOCK_MARK(requires_capability(mutex))  // the caller holds it

namespace braid {

class BRAID_LOCK_MARK(capability("mutex")) Mutex {
  friend class Lock;
  friend class Condition;
  std::mutex mutex_;
};

/// Holds the mutex to the end of the block; there is no other way to hold one.
class BRAID_LOCK_MARK(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) BRAID_LOCK_MARK(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~Lock() BRAID_LOCK_MARK(release_capability()) {}

 private:
  std::lock_guard<std::mutex> lock_;
};

/// Tells waiters that what they wait for may have changed. They wait through Clock::wait_until,
/// so that a test owns their time.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  friend class SystemClock;
  friend class ManualClock;

  void wait_until(Mutex& mutex, std::chrono::steady_clock::time_point until) REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    if (until == std::chrono::steady_clock::time_point::max()) {
      condition_.wait(held);  // as a time, "never" overflows when it is converted
    } else {
      condition_.wait_until(held, until);
    }
    held.release();  // the caller's Lock still holds it
  }

  std::condition_variable condition_;
};

}  // namespace braid
