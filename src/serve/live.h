#pragma once
// Live: a published pipeline and what is measured of it while it serves.
// Threads: every function from any.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "serve/model_statistics.h"
#include "serve/pipeline.h"
#include "serve/pipeline_meter.h"

namespace braid {

/// A running mean with forgetting; reads and writes from any thread, a lost update does no harm.
class RunningMean {
 public:
  void add(double value) {
    const double old = mean_.load(std::memory_order_relaxed);
    mean_.store(old == 0 ? value : old + 0.1 * (value - old), std::memory_order_relaxed);
  }
  /// 0 before the first.
  double mean() const { return mean_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> mean_ = 0;
};

/// A count and a time that grow together; from any thread.
struct SharedTime {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<std::int64_t> ns = 0;

  void add(Duration took) {
    count.fetch_add(1, std::memory_order_relaxed);
    ns.fetch_add(std::chrono::nanoseconds(took).count(), std::memory_order_relaxed);
  }
  CountedTime value() const {
    return {count.load(std::memory_order_relaxed),
            std::chrono::nanoseconds(ns.load(std::memory_order_relaxed))};
  }
};

struct Live {
  Live(std::shared_ptr<const Pipeline> published, Metrics& metrics);

  const std::shared_ptr<const Pipeline> pipeline;
  std::vector<RunningMean> encode_ms;  // as PipelineConfig::inputs
  RunningMean trouble;                 // late, shed or failed: 1, else 0
  std::atomic<std::size_t> in_flight = 0;
  std::atomic<std::size_t> in_flight_bytes = 0;  // of raw inputs
  SharedTime success;                            // of requests, from submit to answer
  SharedTime fail;
  std::atomic<TimePoint> last = TimePoint::min();  // answer

  /// Room for one more request: kExhausted beyond limits.in_flight or in_flight_bytes.
  Result<void> enter(std::size_t bytes);
  void leave(std::size_t bytes);

  PipelineMeter meter;
};

double in_ms(Duration duration);

}  // namespace braid
