#pragma once
// Regular: a recording at even distances, and its gaps filled. Threads: pure functions.

#include <cstdint>
#include <span>

#include "base/result.h"
#include "modality/series/recording.h"

namespace braid {

enum class Resampling {
  kMean,      // of what falls into [t, t + every): pandas resample(every, origin="start").mean()
  kLinear,    // between the neighbours in time, gaps left out: numpy.interp; no ends are made up
  kPrevious,  // the last value at or before t: pandas reindex(method="ffill")
};

struct GridOptions {
  double every = 1;  // seconds, above 0
  Resampling resampling = Resampling::kMean;
  double gap_max = 0;  // seconds: kLinear and kPrevious bridge no longer gap; 0: any
  std::int64_t samples_max = 100'000;
};

/// Values at first time + k · every, up to the last time. kExhausted when they would be too many.
Result<Recording> on_grid(const Recording& recording, const GridOptions& options);

enum class Fill {
  kNone,
  kZero,
  kMean,      // of the channel
  kPrevious,  // what comes before the first value stays a gap
  kLinear,    // along the index; the ends hold the outermost value
};

/// In place. A channel of gaps alone stays as it is, but for kZero.
void fill_gaps(std::span<double> channel, Fill fill);

}  // namespace braid
