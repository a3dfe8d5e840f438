#pragma once
// Alarm: calls back at a time. One thread for all; a callback is short or hands its work over.
// Threads: set() and cancel() from any.   Life: the destructor drops what has not rung and joins.

#include <cstdint>
#include <map>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/task.h"

namespace braid {

class Alarm {
 public:
  using Id = std::uint64_t;

  explicit Alarm(const Clock& clock);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  Id set(TimePoint at, Task ring);
  /// False when it has rung, is ringing or never was.
  bool cancel(Id id, TimePoint at);

 private:
  void work();

  const Clock& clock_;
  Mutex mutex_;
  Condition changed_;
  std::map<std::pair<TimePoint, Id>, Task> tasks_ GUARDED_BY(mutex_);
  Id next_ GUARDED_BY(mutex_) = 1;
  TimePoint asleep_until_ GUARDED_BY(mutex_) = TimePoint::min();  // later tasks need not wake it
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace braid
