#pragma once
// Dispatcher: gathers rows of single requests into batches and runs them on free slots. One for all
// models: separate batchers that share two cores fight each other.
//
// A queue holds the jobs of one model version and one shape bucket (equal extents on all axes but
// the batch's), bounded by queue_rows_max. The pure DispatchRule says which batch runs when. A slot
// is one worker thread; a job runs inline on the caller's thread instead when a slot is idle,
// nothing waits and the model's predicted time is below inline_max: a hand-over costs 15 to 30 µs.
// What a thread gathers before it looks again runs so too, as one batch.
// A job with more rows than its model takes is split and put together again. A failing batch of
// several jobs is retried job by job once, so one bad row fails alone.
// Threads: add() from any, also from `done`, which is called once for each accepted job, on a slot,
// the caller's thread (inline) or the watch thread (expiry), never under a lock.
// Life: drain() refuses new jobs, finishes those that wait and joins; the destructor drains. Not
// from `done`, and nobody is inside add() any more when the destructor begins.

#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "model/store.h"
#include "serve/dispatch_job.h"
#include "serve/model_statistics.h"

namespace braid {

class Dispatcher {
 public:
  struct Options {
    std::size_t slot_count = 2;         // cores; each runs one-thread sessions
    std::size_t queue_rows_max = 1024;  // a queue beyond it refuses: waiting longer helps nobody
    Duration inline_max = std::chrono::microseconds(500);  // longer runs would hold the caller
  };

  Dispatcher(Options options, const Clock& clock, Metrics& metrics);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// kExhausted at once when the queue is full, kUnavailable after drain(), kDeadlineExceeded or
  /// kCancelled when it is too late already, kInvalidArgument for more rows than a queue can ever
  /// hold. On an error `done` is not called. Expired and cancelled jobs that wait leave within
  /// 5 ms, before any work is spent on them.
  Result<void> add(Job job);

  /// Until flush(), jobs that this thread adds and that may share a run are gathered, outside of
  /// all queues; then those of one queue run as one batch, inline where a single job would have,
  /// and the others are queued. For a thread that has several requests at hand, and reaches
  /// flush() without waiting for any of them. What add() would have refused is told by `done`.
  void gather();
  void flush();

  /// What a run of so many rows of this model is predicted to take; fitted over recent runs.
  /// Zero before the second: the first, which allocates, does not count.
  struct Prediction {
    Duration mean{};
    Duration q95{};
  };
  Prediction predict(const LoadedModel& model, std::size_t row_count) const;

  /// Of nothing when no job of this model came yet.
  ModelStatistics statistics(const LoadedModel& model) const;

  /// Waiting rows ÷ queue_rows_max of the fullest queue, and busy slots ÷ slots, both in [0, 1].
  struct Load {
    double queue = 0;
    double busy = 0;
    std::size_t waiting_rows = 0;
  };
  Load load() const;

  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
