#pragma once
// One run of one or more jobs: joins their rows, runs the model once, hands each its own rows back.
// A batch of several that fails whole is retried job by job once, so one bad row fails alone.

#include <cstddef>
#include <span>
#include <vector>

#include "serve/dispatch_job.h"

namespace braid {

struct BatchReport {
  std::vector<JobOutcome> outcomes;  // one a job, in order
  std::size_t row_count = 0;
  Duration joined{};        // joining the inputs took, before the first run
  Duration ran{};           // the first run took, with joining
  Duration split{};         // handing each job its rows took
  bool succeeded = false;   // of the first run: its time says something about the model
  std::size_t retried = 0;  // jobs
};

/// The jobs are of one model and one shape bucket; their inputs are used up. Blocks for the run.
/// `core_count` above 1: on the model's wide twin.
BatchReport run_jobs(const LoadedModel& model, std::span<WaitingJob> jobs, const Clock& clock,
                     TimePoint begin, std::size_t core_count = 1);

/// Why a job leaves without having run: kCancelled or kDeadlineExceeded.
Error dropped_error(const WaitingJob& job, TimePoint now);

/// Why none is taken while draining: kUnavailable.
Error shutting_down_error();

}  // namespace braid
