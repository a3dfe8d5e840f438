#include "serve/dispatch_model.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace braid {
namespace {

// Without a config any priority holds, and requests that name none come after those that do.
constexpr std::size_t kLastLevel = std::numeric_limits<std::uint32_t>::max();

std::size_t level_of(std::size_t priority, const ModelConfig& config) {
  if (!config.batching) {
    const std::size_t named = priority == 0 ? kLastLevel : std::min(priority, kLastLevel);
    return config.from_file ? 0 : named;
  }
  const BatchConfig& batching = *config.batching;
  const bool is_known = priority > 0 && priority <= batching.priority_levels;
  return is_known ? priority : batching.priority_default;
}

}  // namespace

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
    limits.greedy = model.config.from_file;
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

RunTimeEstimate estimate_of(const LoadedModel& model) {
  RunTimeEstimate estimate;
  const auto observe_all = [&] {
    for (const MeasuredRun& run : model.profile.runs) {
      if (run.thread_count == 1) {
        estimate.observe(run.row_count, run.took);
      }
    }
  };
  observe_all();  // the first run of an estimate does not count, so all are seen twice
  observe_all();
  return estimate;
}

DispatchModel::DispatchModel(const ModelHandle& handle, Metrics& metrics)
    : address(handle.get()),
      model(handle),
      limits(JoinLimits::of(*handle)),
      resources(handle->config.run_resources),
      meter(metrics, handle->name),
      run_time(estimate_of(*handle)) {}

void DispatchModel::place(WaitingJob& job) const {
  const ModelConfig& config = job.job.model->config;
  job.level = level_of(job.job.priority, config);
  if (!config.batching) {
    return;
  }
  const QueuePolicy& policy = config.batching->queue_at(job.level);
  if (!policy.timeout.has_value()) {
    return;
  }
  const TimePoint ends = job.arrival + *policy.timeout;
  if (policy.timeout_action == QueuePolicy::TimeoutAction::kDelay) {
    job.delay_at = ends;
  } else {
    job.deadline = std::min(job.deadline, ends);
  }
}

Result<void> DispatchModel::has_room(const WaitingJob& job) const {
  const ModelConfig& config = job.job.model->config;
  const auto waits = waiting.find(job.level);
  const std::size_t requests_max =
      config.batching ? config.batching->queue_at(job.level).requests_max : 0;
  if (requests_max == 0 || waits == waiting.end() || waits->second < requests_max) {
    return {};
  }
  return Error{Code::kExhausted,
               fmt::format("{} requests wait for model '{}', its max_queue_size; try again later",
                           waits->second, job.job.model->name)};
}

}  // namespace braid
