#pragma once
// RuntimeSettings: what the protocol's logging and trace extensions may read and change while the
// server runs. A file is never opened for a client: paths are refused. Threads: every function from
// any.

#include <atomic>

#include "base/json.h"
#include "base/mutex.h"

namespace braid {

class RuntimeSettings {
 public:
  Json logging() const;
  /// Takes over every key, or none. kInvalidArgument names the key and what is wanted.
  Result<void> set_logging(const Json& wanted);
  /// From log_verbose_level 1 on, a line a request.
  bool logs_requests() const { return logs_requests_.load(std::memory_order_relaxed); }

  Json trace() const;
  /// Nothing is traced: what says so already is accepted, other values are kUnsupported.
  Result<void> set_trace(const Json& wanted) const;

 private:
  mutable Mutex mutex_;
  bool info_ GUARDED_BY(mutex_) = true;
  bool warning_ GUARDED_BY(mutex_) = true;
  bool error_ GUARDED_BY(mutex_) = true;
  std::int64_t verbose_ GUARDED_BY(mutex_) = 0;
  std::atomic<bool> logs_requests_ = false;  // asked for each request
};

}  // namespace braid
