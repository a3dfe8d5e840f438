#pragma once
// Arrivals: when the requests of an open loop are to be sent, fixed before the first one is, so
// that a slow server cannot slow its own load down. Pure functions.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace braid {

/// Since the beginning of the load, ascending.
using Arrivals = std::vector<Duration>;

/// More are refused with kExhausted: the schedule is held in memory.
inline constexpr std::size_t kArrivalsMax = 20'000'000;

/// A Poisson process: independent exponential gaps of mean 1 ÷ `per_second`, up to `span`.
/// kInvalidArgument unless the rate is above 0 and finite.
Result<Arrivals> poisson_arrivals(double per_second, Duration span, std::uint64_t seed);

/// The first column of a CSV: seconds, milliseconds where its header ends with _ms, or date and
/// time ("2023-11-16 18:17:03.979"). Counted from the first row, divided by `speed`, cut at `span`.
/// kInvalidArgument names the line: no time, or earlier than the line before.
Result<Arrivals> trace_arrivals(std::string_view csv, double speed, Duration span);

}  // namespace braid
