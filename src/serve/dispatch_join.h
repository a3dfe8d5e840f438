#pragma once
// Joining the rows of several jobs into one batch, and cutting each job's rows out of what came.

#include <cstddef>
#include <span>

#include "model/padding.h"
#include "serve/dispatch_job.h"

namespace braid {

struct JoinedRows {
  NamedTensors inputs;
  std::size_t length = 0;  // that rows of other lengths were filled up to; 0: all have one
};

/// The jobs are of one shape bucket.
JoinedRows join_jobs(const Padding& padding, std::span<const WaitingJob> jobs);

/// The job's own `count` rows from `begin` on, cut to its own length where they were filled up.
NamedTensors rows_of(const Job& job, const Padding& padding, std::size_t length,
                     const NamedTensors& outputs, std::size_t begin, std::size_t count);

}  // namespace braid
