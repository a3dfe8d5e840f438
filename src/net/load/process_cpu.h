#pragma once
// What a process on this machine has used of it, from /proc.

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace braid {

/// utime + stime of the text of /proc/PID/stat, in seconds at `ticks_per_second`.
Result<double> parse_cpu_seconds(std::string_view stat, long ticks_per_second);

/// Of a running process, all its threads. kNotFound when there is none of that number.
Result<Duration> process_cpu(std::int64_t pid);

}  // namespace braid
