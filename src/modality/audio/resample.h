#pragma once
// Resampling by libsoxr, as librosa does by default. libsoxr is named only in resample.cc.
// Threads: pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

/// soxr's own names, which librosa takes with "soxr_" before them.
enum class SoxrQuality { kQuick, kLow, kMedium, kHigh, kVeryHigh };

/// ⌈samples · to ÷ from⌉ samples: what librosa.resample gives. kInternal when soxr fails.
Result<std::vector<float>> resampled(std::vector<float> samples, std::int64_t from, std::int64_t to,
                                     SoxrQuality quality);

}  // namespace braid
