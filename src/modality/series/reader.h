#pragma once
// Reading a Recording from CSV or JSON, whichever the bytes are. Threads: pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/result.h"
#include "modality/series/recording.h"
#include "modality/series/timestamp.h"

namespace braid {

struct ReaderOptions {
  std::vector<std::string> channels;  // by name, at least one
  std::string time;                   // name of the time stamps; empty when there are none
  TimeUnit unit = TimeUnit::kSeconds;
  double rate = 1;            // samples a second where there are no time stamps
  bool sorted_here = false;   // falling time stamps are put in order instead of refused
  bool extra_ignored = true;  // columns that nobody asked for
  std::int64_t samples_max = 100'000;
};

/// CSV: a row of names, then a row a sample; an empty cell, NA, NaN or null is a gap.
/// JSON: {"time": […], "hr": […]}, or [{"time": 0, "hr": 61}, …], or [[0, 61], …] in the order
/// time, channels, or for one channel without time stamps [61, null, …]; null is a gap.
/// kInvalidArgument names row and column, kExhausted above samples_max.
Result<Recording> read_recording(Bytes raw, const ReaderOptions& options);

}  // namespace braid
