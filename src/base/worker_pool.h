#pragma once
// WorkerPool: N named threads that run tasks in the order in which they came, from a bounded queue.
// Threads: add() from any, also from a task.   Life: drain() refuses new tasks, runs those that
// wait and joins; the destructor drains.

#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"

namespace braid {

class WorkerPool {
 public:
  struct Options {
    std::string name = "pool";  // of its threads, as a debugger shows them
    std::size_t thread_count = 1;
    std::size_t queue_max = 65536;  // beyond it add() is refused rather than memory filled
  };

  explicit WorkerPool(Options options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// kExhausted when queue_max tasks wait, kUnavailable after drain().
  Result<void> add(Task task);

  void drain();

 private:
  void work();

  const Options options_;
  Mutex mutex_;
  Condition changed_;
  std::deque<Task> queue_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // joined by drain()
};

/// Names the calling thread; Linux keeps 15 characters.
void name_this_thread(const std::string& name);

}  // namespace braid
