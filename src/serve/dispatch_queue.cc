#include "serve/dispatch_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace braid {
namespace {

constexpr int kGapShare = 5;  // a new gap counts for a fifth

// Behind every level that a client can name.
constexpr std::size_t kDelayedLevel = std::numeric_limits<std::size_t>::max();

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
  if (job.opens) {
    ++model_->waiting[job.level];
  }
  job.since = job.arrival;
  enter(std::move(job));
}

void DispatchQueue::enter(WaitingJob job) {
  places_.insert({job.delayed ? kDelayedLevel : job.level, job.deadline, next_});
  jobs_.emplace_hint(jobs_.end(), next_, std::move(job));
  ++next_;
}

const DispatchQueue::Place& DispatchQueue::next_place(TimePoint now) const {
  for (auto level = places_.begin(); level != places_.end();) {
    const auto nearest = places_.lower_bound({level->level, reachable(now), 0});
    if (nearest != places_.end() && nearest->level == level->level) {
      return *nearest;
    }
    level = nearest;  // the first of a later level
  }
  return *places_.begin();
}

TimePoint DispatchQueue::nearest_deadline(TimePoint now) const {
  std::optional<TimePoint> nearest;
  for (auto level = places_.begin(); level != places_.end();) {
    const auto found = places_.lower_bound({level->level, reachable(now), 0});
    if (found != places_.end() && found->level == level->level) {
      nearest = std::min(nearest.value_or(found->deadline), found->deadline);
      level = places_.upper_bound({level->level, TimePoint::max(), next_});
    } else {
      level = found;
    }
  }
  return nearest.value_or(places_.begin()->deadline);
}

QueueSummary DispatchQueue::summary(TimePoint now) const {
  QueueSummary summary;
  if (jobs_.empty()) {
    return summary;
  }
  const JoinLimits& limits = model_->limits;
  summary.row_count = row_count_;
  summary.oldest_arrival = jobs_.begin()->second.since;
  summary.nearest_deadline = nearest_deadline(now);
  summary.arrival_gap = std::max(gap_, now - last_arrival_);
  summary.cost = model_->cost();
  if (!limits.joined) {
    summary.limits = {.rows_max = 1, .wait_max = Duration::zero()};
    return summary;
  }
  // A run is at most twice as large as the largest so far: what a network takes for 32 rows is
  // found out in steps, not by holding a slot for a second. An operator's config knows already.
  const std::size_t tried_max =
      limits.greedy ? limits.rows_max
                    : std::max<std::size_t>(1, 2 * model_->run_time.rows_seen_max());
  summary.limits = {.rows_max = std::min(limits.rows_max, tried_max),
                    .wait_max = limits.wait_max,
                    .preferred_rows = limits.preferred_rows,
                    .greedy = limits.greedy};
  return summary;
}

WaitingJob DispatchQueue::leave(Jobs::iterator at) {
  const WaitingJob& job = at->second;
  places_.erase({job.delayed ? kDelayedLevel : job.level, job.deadline, at->first});
  WaitingJob left = std::move(at->second);
  jobs_.erase(at);
  return left;
}

WaitingJob DispatchQueue::remove(Jobs::iterator at) {
  WaitingJob removed = leave(at);
  row_count_ -= removed.job.row_count;
  if (removed.opens) {
    --model_->waiting.at(removed.level);
  }
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
    if (now - next->second.since < kPatience) {
      next = jobs_.find(next_place(now).sequence);
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
  std::vector<WaitingJob> delayed;
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    const auto next = std::next(at);
    if (at->second.expired(now) || at->second.cancelled()) {
      drop(at, now, dropped);
    } else if (at->second.delay_at <= now && !at->second.delayed) {
      delayed.push_back(leave(at));
    }
    at = next;
  }
  for (WaitingJob& each : delayed) {
    each.delayed = true;
    each.since = now;
    enter(std::move(each));
  }
}

}  // namespace braid
