#pragma once
// ModelStatistics: what the dispatcher counted of one model version since it first came: requests,
// rows, runs, and where their time went. A plain value; the protocol's statistics are made of it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "serve/dispatch_batch.h"

namespace braid {

struct CountedTime {
  std::uint64_t count = 0;
  Duration total{};

  void add(Duration took) {
    ++count;
    total += took;
  }
};

struct ModelStatistics {
  struct Runs {  // of one number of rows
    CountedTime join;
    CountedTime run;
    CountedTime split;
  };

  std::uint64_t row_count = 0;  // that were run
  std::uint64_t run_count = 0;
  CountedTime success;  // jobs, from arrival to outcome
  CountedTime fail;
  CountedTime queue;  // jobs that were run; these four
  CountedTime join;   // the time of its batch counts for each job in it
  CountedTime run;
  CountedTime split;
  std::map<std::size_t, Runs> runs;  // by rows
  std::optional<TimePoint> last_run = {};

  void add(const BatchReport& report, TimePoint now);
  /// A job that left without having run.
  void add_dropped(Duration waited) { fail.add(waited); }
};

}  // namespace braid
