#pragma once
// grpc_time: our durations as gRPC counts them. Threads: pure.

#include <grpcpp/support/time.h>

#include "base/clock.h"

namespace braid {

/// By the monotonic clock.
inline gpr_timespec after(Duration patience) {
  const auto ns = std::chrono::nanoseconds(patience).count();
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(ns, GPR_TIMESPAN));
}

}  // namespace braid
