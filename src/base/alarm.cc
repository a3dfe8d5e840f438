#include "base/alarm.h"

#include "base/worker_pool.h"

namespace braid {

Alarm::Alarm(const Clock& clock) : clock_(clock) {
  thread_ = std::thread([this] {
    name_this_thread("alarm");
    work();
  });
}

Alarm::~Alarm() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Alarm::Id Alarm::set(TimePoint at, Task ring) {
  const Lock lock(mutex_);
  const Id id = next_++;
  tasks_.emplace(std::pair(at, id), std::move(ring));
  if (at < asleep_until_) {
    changed_.notify_all();
  }
  return id;
}

bool Alarm::cancel(Id id, TimePoint at) {
  Task dropped;  // destroyed outside the lock
  const Lock lock(mutex_);
  const auto found = tasks_.find({at, id});
  if (found == tasks_.end()) {
    return false;
  }
  dropped = std::move(found->second);
  tasks_.erase(found);
  return true;
}

void Alarm::work() {
  while (true) {
    Task ring;
    {
      const Lock lock(mutex_);
      while (!stopping_ && (tasks_.empty() || tasks_.begin()->first.first > clock_.now())) {
        asleep_until_ = tasks_.empty() ? TimePoint::max() : tasks_.begin()->first.first;
        clock_.wait_until(changed_, mutex_, asleep_until_);
        asleep_until_ = TimePoint::min();
      }
      if (stopping_) {
        return;
      }
      ring = std::move(tasks_.begin()->second);
      tasks_.erase(tasks_.begin());
    }
    ring();
  }
}

}  // namespace braid
