#include "base/worker_pool.h"

#include <fmt/format.h>
#include <pthread.h>

namespace braid {

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

WorkerPool::WorkerPool(Options options) : options_(std::move(options)) {
  for (std::size_t i = 0; i < options_.thread_count; ++i) {
    threads_.emplace_back([this, i] {
      name_this_thread(fmt::format("{}-{}", options_.name, i));
      work();
    });
  }
}

WorkerPool::~WorkerPool() { drain(); }

Result<void> WorkerPool::add(Task task) {
  const Lock lock(mutex_);
  if (draining_) {
    return Error{Code::kUnavailable, fmt::format("{} is shutting down", options_.name)};
  }
  if (queue_.size() >= options_.queue_max) {
    return Error{Code::kExhausted,
                 fmt::format("{} tasks wait in {}, its limit", queue_.size(), options_.name)};
  }
  queue_.push_back(std::move(task));
  changed_.notify_one();
  return {};
}

void WorkerPool::drain() {
  {
    const Lock lock(mutex_);
    draining_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void WorkerPool::work() {
  const SystemClock clock;
  while (true) {
    Task task;
    {
      const Lock lock(mutex_);
      while (queue_.empty() && !draining_) {
        clock.wait_until(changed_, mutex_, TimePoint::max());
      }
      if (queue_.empty()) {
        return;
      }
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace braid
