#pragma once
// DispatchModel: what the dispatcher knows of one model version: how its rows may be joined, how
// long it takes, how many runs are going on, and its instruments.
// Threads: guarded by the dispatcher's lock, but for the limits, which are constant, and the meter.

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "model/store.h"
#include "policy/run_time.h"
#include "serve/dispatch_job.h"
#include "serve/dispatch_rule.h"
#include "serve/model_statistics.h"
#include "serve/solitude.h"

namespace braid {

/// How rows of different jobs may share a run.
struct JoinLimits {
  bool joined = false;       // else each job runs alone
  std::size_t rows_max = 0;  // of one run; a job beyond it is split
  Duration wait_max{};
  std::span<const std::size_t> preferred_rows = {};
  bool greedy = false;       // a run takes all that wait, as the operator's config says
  std::size_t runs_max = 0;  // at once; 0: as many as there are slots

  /// A model without a batch axis takes any job whole. With a config, dynamic_batching decides;
  /// without one, BatchConfig's defaults do.
  static JoinLimits of(const LoadedModel& model);
};

/// Instruments of one model; its versions share them.
struct DispatchMeter {
  DispatchMeter(Metrics& metrics, const std::string& model);

  Counter& rows;
  Counter& batches;
  Counter& inline_runs;
  Counter& retried;
  Counter& expired;
  Counter& cancelled;
  Counter& refused;
  Histogram& batch_rows;
  Histogram& queue_ms;
  Histogram& run_ms;
};

/// What the model's profile says; not known() where it has none.
RunTimeEstimate estimate_of(const LoadedModel& model);

struct DispatchModel {
  DispatchModel(const ModelHandle& handle, Metrics& metrics);

  bool is_for(const LoadedModel& other) const { return &other == address && !model.expired(); }
  bool may_run() const { return limits.runs_max == 0 || running < limits.runs_max; }
  /// Gives an accepted job its level and the times that its queue policy sets.
  void place(WaitingJob& job) const;
  /// kExhausted when as many requests of the job's level wait as the config allows.
  Result<void> has_room(const WaitingJob& job) const;
  RunCost cost() const { return {run_time.fixed(), run_time.per_row(), run_time.tail()}; }

  const LoadedModel* const address;              // valid while `model` has not expired
  const std::weak_ptr<const LoadedModel> model;  // an unloaded version is not kept alive
  const JoinLimits limits;
  const std::vector<RunResource> resources;  // that each run holds
  DispatchMeter meter;
  RunTimeEstimate run_time;
  ModelStatistics statistics;
  Solitude solitude;
  std::size_t running = 0;
  std::map<std::size_t, std::size_t> waiting;  // requests, by level
};

}  // namespace braid
