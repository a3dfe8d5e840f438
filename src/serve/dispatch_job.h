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
  std::size_t batch_rows = 0;  // in it
};

struct Job {
  ModelHandle model;
  NamedTensors inputs;  // checked against the model's spec; axis 0 of each is row_count
  std::size_t row_count = 1;
  Deadline deadline = Deadline::never();
  CancelFlag cancel;
  MoveFunction<void(JobOutcome)> done;
};

/// A job that the dispatcher has accepted.
struct WaitingJob {
  Job job;
  TimePoint arrival{};
  TimePoint deadline = TimePoint::max();

  bool expired(TimePoint now) const { return deadline <= now; }
  bool cancelled() const { return job.cancel.cancelled(); }
};

}  // namespace braid
