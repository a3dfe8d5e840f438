#include "serve/dispatch_model.h"

#include <algorithm>
#include <limits>

namespace braid {

JoinLimits JoinLimits::of(const LoadedModel& model) {
  static const BatchConfig kDefault;
  JoinLimits limits;
  limits.runs_max = model.config.instance_count;
  limits.rows_max = model.spec().rows_max;
  if (limits.rows_max == 0) {
    limits.rows_max = std::numeric_limits<std::size_t>::max();
    return limits;
  }
  if (model.config.rows_max.value_or(0) > 0) {
    limits.rows_max = std::min(limits.rows_max, *model.config.rows_max);
  }
  if (model.config.batching || !model.config.from_file) {
    const BatchConfig& batching = model.config.batching ? *model.config.batching : kDefault;
    limits.joined = true;
    limits.rows_max = std::clamp(batching.rows_max, std::size_t{1}, limits.rows_max);
    limits.wait_max = batching.wait_max;
    limits.preferred_rows = batching.preferred_rows;
  }
  return limits;
}

DispatchMeter::DispatchMeter(Metrics& metrics, const std::string& model)
    : rows(metrics.counter("braid_dispatch_rows_total", "Rows that were run.", {{"model", model}})),
      batches(
          metrics.counter("braid_dispatch_batches_total", "Runs of a model.", {{"model", model}})),
      inline_runs(metrics.counter("braid_dispatch_inline_total",
                                  "Runs on the caller's thread, without a hand-over.",
                                  {{"model", model}})),
      retried(metrics.counter("braid_dispatch_retried_total",
                              "Jobs that ran again alone, since their batch failed.",
                              {{"model", model}})),
      expired(metrics.counter("braid_dispatch_expired_total",
                              "Jobs whose deadline passed while they waited.", {{"model", model}})),
      cancelled(metrics.counter("braid_dispatch_cancelled_total",
                                "Jobs that were cancelled while they waited.", {{"model", model}})),
      refused(metrics.counter("braid_dispatch_refused_total", "Jobs that were not accepted.",
                              {{"model", model}})),
      batch_rows(metrics.histogram("braid_dispatch_batch_rows", "Rows in a run.",
                                   {1, 2, 4, 8, 16, 32, 64, 128}, {{"model", model}})),
      queue_ms(metrics.histogram("braid_dispatch_queue_ms",
                                 "Milliseconds that a job waited for its run.", latency_bounds_ms(),
                                 {{"model", model}})),
      run_ms(metrics.histogram("braid_dispatch_run_ms", "Milliseconds that a run took.",
                               latency_bounds_ms(), {{"model", model}})) {}

DispatchModel::DispatchModel(const ModelHandle& handle, Metrics& metrics)
    : address(handle.get()),
      model(handle),
      limits(JoinLimits::of(*handle)),
      meter(metrics, handle->name) {}

}  // namespace braid
