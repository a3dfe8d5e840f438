#pragma once
// Time stamps: numbers in a unit, or dates as ISO 8601 writes them. Threads: pure functions.

#include <string_view>

#include "base/result.h"

namespace braid {

enum class TimeUnit { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds, kIso8601 };

/// Seconds: a plain number ÷ the unit, or for kIso8601 seconds since 1970-01-01T00:00Z of
/// "2024-05-01", "2024-05-01 12:30", "2024-05-01T12:30:05.25+02:00", …; without an offset UTC.
/// kInvalidArgument for anything else; `text` is not repeated at length.
Result<double> parse_time(std::string_view text, TimeUnit unit);

/// Seconds of a number in the unit; not for kIso8601.
double seconds_of(double number, TimeUnit unit);

/// A finite number and nothing beside it.
bool parse_number(std::string_view text, double& into);

}  // namespace braid
