#pragma once
// HttpMeter: counts requests by endpoint and status, and how long they took. Instruments are made
// the first time that they are needed, so that the page of an idle server is short.
// Threads: every function from any.

#include <array>
#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "base/metrics.h"
#include "net/router.h"

namespace braid {

class HttpMeter {
 public:
  explicit HttpMeter(Metrics& metrics);

  void begin() { in_flight_.add(1); }
  void end(Endpoint endpoint, int status, Duration took);

 private:
  static constexpr std::size_t kEndpoints = static_cast<std::size_t>(Endpoint::kNone) + 1;
  static constexpr std::size_t kStatuses = 600;

  Counter& counter(Endpoint endpoint, int status);

  Metrics& metrics_;
  Gauge& in_flight_;
  std::array<Histogram*, kEndpoints> latencies_{};
  std::array<std::array<std::atomic<Counter*>, kStatuses>, kEndpoints> counters_{};
};

}  // namespace braid
