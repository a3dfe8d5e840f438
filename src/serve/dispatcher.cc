#include "serve/dispatcher.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/worker_pool.h"
#include "serve/dispatch_batch.h"
#include "serve/dispatch_board.h"
#include "serve/dispatch_split.h"

namespace braid {
namespace {

// Expired and cancelled jobs leave within 5 ms; what is left of it is for the thread to wake.
constexpr Duration kSweepEach = std::chrono::milliseconds(3);

// A `done` that adds the next job, which runs inline and calls its own `done`, and so on, would
// use up the stack. Beyond this depth jobs are handed over.
constexpr int kInlineDepthMax = 8;
thread_local int inline_depth = 0;

/// What this thread has gathered, and for which dispatcher; none: it does not gather.
struct Gathering {
  const void* dispatcher = nullptr;
  std::vector<WaitingJob> jobs;
};
thread_local Gathering gathering;
constexpr std::size_t kGatheredMax = 256;  // more go to the queues at once

/// Exact for never(); otherwise at most a few nanoseconds early.
TimePoint time_of(const Deadline& deadline, const Clock& clock, TimePoint now) {
  return deadline == Deadline::never() ? TimePoint::max() : now + deadline.left(clock);
}

void count(DispatchMeter& meter, const BatchReport& report) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  meter.batches.add();
  meter.rows.add(report.row_count);
  meter.retried.add(report.retried);
  meter.batch_rows.observe(static_cast<double>(report.row_count));
  meter.run_ms.observe(Milliseconds(report.ran).count());
  for (const JobOutcome& each : report.outcomes) {
    meter.queue_ms.observe(Milliseconds(each.queued).count());
  }
}

void deliver(std::span<WaitingJob> jobs, std::vector<JobOutcome> outcomes) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].job.done(std::move(outcomes[i]));
  }
}

void fail(WaitingJob& waiting, Error error, TimePoint now) {
  waiting.job.done({std::move(error), now - waiting.arrival, {}, 1, 0});
}

void deliver_dropped(std::span<WaitingJob> jobs, TimePoint now) {
  for (WaitingJob& each : jobs) {
    fail(each, dropped_error(each, now), now);
  }
}

}  // namespace

// Idle workers look after the queues; the watch does so only while all of them run something.
struct Dispatcher::State {
  State(Options given, const Clock& given_clock, Metrics& metrics)
      : options(given),
        clock(given_clock),
        board({given.slot_count, given.queue_rows_max, given.inline_max}, metrics) {
    for (std::size_t i = 0; i < options.slot_count; ++i) {
      workers.emplace_back([this, i] {
        name_this_thread(fmt::format("slot-{}", i));
        work();
      });
    }
    watcher = std::thread([this] {
      name_this_thread("dispatch-watch");
      watch();
    });
  }

  Result<void> add(Job job);
  Result<std::optional<DispatchBoard::Lease>> admit(std::span<WaitingJob> jobs, TimePoint now);
  void run(const DispatchBoard::Lease& lease, std::span<WaitingJob> jobs, TimePoint begin);
  void run_inline(const DispatchBoard::Lease& lease, std::span<WaitingJob> jobs, TimePoint begin);
  void gather() { gathering.dispatcher = this; }
  void flush();
  void work();
  void watch();
  void drain();

  /// What a worker does next: a run, jobs to drop, or both; neither once all is drained.
  struct Work {
    std::optional<DispatchBoard::Run> run;
    std::vector<WaitingJob> dropped;
    TimePoint now{};
  };
  Work next_work();
  void sweep_if_due(TimePoint now, std::vector<WaitingJob>& dropped) REQUIRES(mutex);
  void wake_others() REQUIRES(mutex);

  const Options options;
  const Clock& clock;

  mutable Mutex mutex;
  Condition work_changed;  // idle workers wait for it
  Condition watch_changed;
  Condition slot_freed;  // drain waits for it
  DispatchBoard board GUARDED_BY(mutex);
  TimePoint next_sweep GUARDED_BY(mutex) = TimePoint{};
  std::size_t idle_workers GUARDED_BY(mutex) = 0;
  bool draining GUARDED_BY(mutex) = false;
  bool watch_stopped GUARDED_BY(mutex) = false;

  std::once_flag drained;
  std::vector<std::thread> workers;  // joined by drain()
  std::thread watcher;
};

Result<void> Dispatcher::State::add(Job job) {
  BRAID_CHECK(job.model != nullptr);
  BRAID_CHECK(job.row_count > 0);
  const TimePoint now = clock.now();
  const TimePoint deadline = time_of(job.deadline, clock, now);
  const JoinLimits limits = JoinLimits::of(*job.model);
  if (job.row_count > limits.rows_max) {
    std::vector<WaitingJob> pieces;
    for (Job& piece : split_job(std::move(job), limits.rows_max)) {
      pieces.push_back({std::move(piece), now, deadline});
    }
    BRAID_TRY(const auto lease, admit(pieces, now));
    BRAID_CHECK(!lease);
    return {};
  }
  WaitingJob waiting{std::move(job), now, deadline};
  if (gathering.dispatcher == this && limits.joined && gathering.jobs.size() < kGatheredMax) {
    gathering.jobs.push_back(std::move(waiting));
    return {};
  }
  BRAID_TRY(const auto lease, admit({&waiting, 1}, now));
  if (lease) {
    run_inline(*lease, {&waiting, 1}, now);
  }
  return {};
}

void Dispatcher::State::run_inline(const DispatchBoard::Lease& lease, std::span<WaitingJob> jobs,
                                   TimePoint begin) {
  lease.model->meter.inline_runs.add();
  ++inline_depth;
  run(lease, jobs, begin);
  --inline_depth;
}

void Dispatcher::State::flush() {
  gathering.dispatcher = nullptr;
  std::vector<WaitingJob> left = std::exchange(gathering.jobs, {});
  while (!left.empty()) {
    const TimePoint now = clock.now();
    DispatchBoard::Group group;
    {
      const Lock lock(mutex);
      group = board.admit_group(left, now, draining);
      if (!group.lease) {
        wake_others();
      }
    }
    for (auto& [waiting, error] : group.refused) {
      fail(waiting, std::move(error), now);
    }
    if (group.lease) {
      run_inline(*group.lease, group.jobs, now);
    }
  }
}

/// Either moves the jobs to a queue or gives a slot for the only one.
Result<std::optional<DispatchBoard::Lease>> Dispatcher::State::admit(std::span<WaitingJob> jobs,
                                                                     TimePoint now) {
  const WaitingJob& first = jobs.front();
  const Lock lock(mutex);
  if (draining) {
    return shutting_down_error();
  }
  DispatchQueue& queue = board.arrive(first.job, now);
  if (first.cancelled() || first.expired(now)) {
    queue.model()->meter.refused.add();
    return dropped_error(first, now);
  }
  if (jobs.size() == 1 && inline_depth < kInlineDepthMax) {
    if (auto lease = board.begin_inline(queue, first.job.row_count, now)) {
      return lease;
    }
  }
  Result<void> admitted = board.admit(queue, jobs);
  if (!admitted.has_value()) {
    queue.model()->meter.refused.add();
    return std::move(admitted).error();
  }
  wake_others();
  return std::optional<DispatchBoard::Lease>();
}

void Dispatcher::State::run(const DispatchBoard::Lease& lease, std::span<WaitingJob> jobs,
                            TimePoint begin) {
  BatchReport report = run_jobs(*jobs.front().job.model, jobs, clock, begin, lease.core_count);
  count(lease.model->meter, report);
  {
    const Lock lock(mutex);
    board.end(lease, report, clock.now());
    wake_others();
    slot_freed.notify_all();
  }
  deliver(jobs, std::move(report.outcomes));
}

void Dispatcher::State::work() {
  while (true) {
    Work work = next_work();
    if (!work.run && work.dropped.empty()) {
      return;
    }
    deliver_dropped(work.dropped, work.now);
    if (work.run) {
      run(work.run->lease, work.run->jobs, work.now);
    }
  }
}

Dispatcher::State::Work Dispatcher::State::next_work() {
  Work work;
  const Lock lock(mutex);
  while (true) {
    work.now = clock.now();
    TimePoint until = TimePoint::max();
    if (board.waits()) {
      sweep_if_due(work.now, work.dropped);
      DispatchBoard::Step step = board.next(work.now, draining, work.dropped);
      if (auto* run = std::get_if<DispatchBoard::Run>(&step)) {
        work.run = std::move(*run);
      }
      if (work.run || !work.dropped.empty()) {
        wake_others();
        return work;
      }
      until = std::min(std::get<AskAgain>(step).at, next_sweep);
    } else if (draining) {
      return work;
    }
    ++idle_workers;
    clock.wait_until(work_changed, mutex, until);
    --idle_workers;
  }
}

void Dispatcher::State::watch() {
  while (true) {
    std::vector<WaitingJob> dropped;
    TimePoint now;
    {
      const Lock lock(mutex);
      if (watch_stopped) {
        return;
      }
      now = clock.now();
      const bool is_on_duty = board.waits() && idle_workers == 0;
      if (is_on_duty) {
        sweep_if_due(now, dropped);
      }
      if (dropped.empty()) {
        clock.wait_until(watch_changed, mutex, is_on_duty ? next_sweep : TimePoint::max());
      } else {
        wake_others();
      }
    }
    deliver_dropped(dropped, now);
  }
}

void Dispatcher::State::sweep_if_due(TimePoint now, std::vector<WaitingJob>& dropped) {
  if (now >= next_sweep) {
    board.sweep(now, dropped);
    next_sweep = now + kSweepEach;
  }
}

/// After each change of what waits or runs: one worker looks, and wakes the next if more is due.
void Dispatcher::State::wake_others() {
  if (!board.waits()) {
    if (draining) {
      work_changed.notify_all();  // nothing more will come: they end
    }
    return;
  }
  if (idle_workers > 0) {
    work_changed.notify_one();
  } else {
    watch_changed.notify_one();
  }
}

void Dispatcher::State::drain() {
  {
    const Lock lock(mutex);
    draining = true;
    work_changed.notify_all();
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  {
    const Lock lock(mutex);
    while (board.slots().busy_count() > 0) {
      clock.wait_until(slot_freed, mutex, TimePoint::max());
    }
    watch_stopped = true;
    watch_changed.notify_all();
  }
  watcher.join();
}

Dispatcher::Dispatcher(Options options, const Clock& clock, Metrics& metrics)
    : state_(std::make_unique<State>(options, clock, metrics)) {}

Dispatcher::~Dispatcher() { drain(); }

Result<void> Dispatcher::add(Job job) { return state_->add(std::move(job)); }

void Dispatcher::gather() { state_->gather(); }

void Dispatcher::flush() { state_->flush(); }

Dispatcher::Prediction Dispatcher::predict(const LoadedModel& model, std::size_t row_count) const {
  const Lock lock(state_->mutex);
  const DispatchModel* found = state_->board.find(model);
  const auto predicted = [row_count](const RunTimeEstimate& estimate) -> Prediction {
    const Duration mean = estimate.mean(row_count);
    return {mean, mean + estimate.tail()};
  };
  return found == nullptr ? predicted(estimate_of(model)) : predicted(found->run_time);
}

ModelStatistics Dispatcher::statistics(const LoadedModel& model) const {
  const Lock lock(state_->mutex);
  const DispatchModel* found = state_->board.find(model);
  return found == nullptr ? ModelStatistics() : found->statistics;
}

Dispatcher::Load Dispatcher::load() const {
  const Lock lock(state_->mutex);
  const DispatchSlots& slots = state_->board.slots();
  return {state_->board.fullest(),
          static_cast<double>(slots.busy_count()) / static_cast<double>(slots.count()),
          state_->board.waiting_rows()};
}

void Dispatcher::drain() {
  std::call_once(state_->drained, [this] { state_->drain(); });
}

}  // namespace braid
