#include "serve/dispatch_queue.h"

#include <algorithm>
#include <iterator>

namespace braid {
namespace {

constexpr int kGapShare = 5;  // a new gap counts for a fifth

}  // namespace

void DispatchQueue::note_arrival(TimePoint now) {
  const Duration gap = now - last_arrival_;
  last_arrival_ = now;
  if (arrival_count_ < 2) {
    ++arrival_count_;
  }
  if (arrival_count_ == 2) {
    gap_ = gap_ == Duration::max() ? gap : gap_ + (gap - gap_) / kGapShare;
  }
}

void DispatchQueue::push(WaitingJob job) {
  row_count_ += job.job.row_count;
  by_deadline_.emplace(job.deadline, next_);
  jobs_.emplace_hint(jobs_.end(), next_, std::move(job));
  ++next_;
}

QueueSummary DispatchQueue::summary(TimePoint now) const {
  QueueSummary summary;
  if (jobs_.empty()) {
    return summary;
  }
  const JoinLimits& limits = model_->limits;
  const auto nearest = by_deadline_.lower_bound({reachable(now), 0});
  summary.row_count = row_count_;
  summary.oldest_arrival = jobs_.begin()->second.arrival;
  summary.nearest_deadline =
      nearest == by_deadline_.end() ? by_deadline_.begin()->first : nearest->first;
  summary.arrival_gap = std::max(gap_, now - last_arrival_);
  summary.cost = model_->cost();
  if (!limits.joined) {
    summary.limits = {.rows_max = 1, .wait_max = Duration::zero()};
    return summary;
  }
  // A run is at most twice as large as the largest so far: what a network takes for 32 rows is
  // found out in steps, not by holding a slot for a second.
  const std::size_t tried_max = std::max<std::size_t>(1, 2 * model_->run_time.rows_seen_max());
  summary.limits = {.rows_max = std::min(limits.rows_max, tried_max),
                    .wait_max = limits.wait_max,
                    .preferred_rows = limits.preferred_rows};
  return summary;
}

WaitingJob DispatchQueue::remove(Jobs::iterator at) {
  by_deadline_.erase({at->second.deadline, at->first});
  row_count_ -= at->second.job.row_count;
  WaitingJob removed = std::move(at->second);
  jobs_.erase(at);
  return removed;
}

void DispatchQueue::drop(Jobs::iterator at, TimePoint now, std::vector<WaitingJob>& dropped) {
  const bool cancelled = at->second.cancelled();
  (cancelled ? model_->meter.cancelled : model_->meter.expired).add();
  model_->statistics.add_dropped(now - at->second.arrival);
  dropped.push_back(remove(at));
}

std::vector<WaitingJob> DispatchQueue::take(std::size_t row_count, TimePoint now,
                                            std::vector<WaitingJob>& dropped) {
  std::vector<WaitingJob> taken;
  std::size_t taken_rows = 0;
  while (!jobs_.empty()) {
    auto next = jobs_.begin();
    if (now - next->second.arrival < kPatience) {
      const auto nearest = by_deadline_.lower_bound({reachable(now), 0});
      next = jobs_.find(nearest == by_deadline_.end() ? by_deadline_.begin()->second
                                                      : nearest->second);
    }
    const WaitingJob& waiting = next->second;
    if (waiting.expired(now) || waiting.cancelled()) {
      drop(next, now, dropped);
      continue;
    }
    const bool fits = taken_rows + waiting.job.row_count <= row_count;
    if (!taken.empty() && (!fits || !model_->limits.joined)) {
      break;
    }
    taken_rows += waiting.job.row_count;
    taken.push_back(remove(next));
  }
  return taken;
}

void DispatchQueue::sweep(TimePoint now, std::vector<WaitingJob>& dropped) {
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    const auto next = std::next(at);
    if (at->second.expired(now) || at->second.cancelled()) {
      drop(at, now, dropped);
    }
    at = next;
  }
}

}  // namespace braid
