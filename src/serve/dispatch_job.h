#pragma once
// Job: rows of one request for one model, and the outcome that its sender hears of.

#include <cstddef>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "model/store.h"
#include "serve/request.h"

namespace braid {

struct JobOutcome {
  Result<NamedTensors> outputs;
  Duration queued{};
  Duration ran{};              // of the whole batch
  std::size_t core_count = 1;  // that it used
  std::size_t batch_rows = 0;  // in it
};

struct Job {
  ModelHandle model;
  NamedTensors inputs;  // checked against the model's spec; axis 0 of each is row_count
  std::size_t row_count = 1;
  Deadline deadline = Deadline::never();
  CancelFlag cancel;
  std::size_t priority = 0;  // the client's: 1 is the first; 0: none named
  MoveFunction<void(JobOutcome)> done;
};

/// A job that the dispatcher has accepted.
struct WaitingJob {
  Job job;
  TimePoint arrival{};
  TimePoint deadline = TimePoint::max();
  bool opens = true;                      // a request; a later piece of one does not
  std::size_t level = 0;                  // the lower runs first
  TimePoint delay_at = TimePoint::max();  // then it goes behind all others
  bool delayed = false;                   // it has gone there
  TimePoint since{};                      // in its place in the queue; patience counts from here

  bool expired(TimePoint now) const { return deadline <= now; }
  bool cancelled() const { return job.cancel.cancelled(); }
};

}  // namespace braid
