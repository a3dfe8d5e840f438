#pragma once
// A job with more rows than its model takes is split into pieces that run like any other job. The
// last piece to end puts the rows together again, in order.

#include <cstddef>
#include <vector>

#include "serve/dispatch_job.h"

namespace braid {

/// Pieces of at most `rows_max` rows. The job's `done` is called once, when all are done, from
/// whoever ends last: with all rows, or with the error of the first piece that failed. Its times
/// are the longest of the pieces'.
std::vector<Job> split_job(Job job, std::size_t rows_max);

}  // namespace braid
