#include "serve/dispatch_batch.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tensor/rows.h"

namespace braid {
namespace {

NamedTensors joined_inputs(std::span<const WaitingJob> jobs) {
  NamedTensors inputs;
  std::vector<const Tensor*> parts(jobs.size());
  for (std::size_t i = 0; i < jobs.front().job.inputs.size(); ++i) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      parts[j] = &jobs[j].job.inputs[i].tensor;
    }
    inputs.push_back({jobs.front().job.inputs[i].name, join_rows(parts)});
  }
  return inputs;
}

/// An error too when rows were joined and an output lacks them: it cannot be taken apart.
Result<RowResults> run_once(const LoadedModel& model, const Batch& batch, bool is_joined) {
  BRAID_TRY(RowResults results, model.model->run(batch));
  for (const auto& [name, tensor] : results.outputs) {
    if (is_joined && tensor.row_count() != batch.row_count) {
      return Error{Code::kUnsupported,
                   fmt::format("model '{}' gave output '{}' of shape {} for {} joined rows; axis 0 "
                               "is no batch axis, so set max_batch_size: 0 in its config.pbtxt",
                               model.name, name, to_string(tensor.shape()), batch.row_count)};
    }
  }
  return results;
}

/// The first failure among the job's rows, counted as the job counts them.
const Error* failure_of(const RowResults& results, std::size_t begin, std::size_t count,
                        std::size_t& row) {
  const auto found = results.failures.lower_bound(begin);
  if (found == results.failures.end() || found->first >= begin + count) {
    return nullptr;
  }
  row = found->first - begin;
  return &found->second;
}

Result<NamedTensors> own_rows(RowResults& results, std::size_t begin, std::size_t count,
                              bool is_whole) {
  std::size_t row = 0;
  if (const Error* failure = failure_of(results, begin, count, row)) {
    return Error(*failure).within(fmt::format("row {}", row));
  }
  if (is_whole) {
    return std::move(results.outputs);
  }
  NamedTensors outputs;
  for (const auto& [name, tensor] : results.outputs) {
    outputs.push_back({name, take_rows(tensor, begin, count)});
  }
  return outputs;
}

JobOutcome run_alone(const LoadedModel& model, WaitingJob& job, const Clock& clock) {
  const TimePoint begin = clock.now();
  JobOutcome outcome{Error{Code::kInternal, "not run"}, begin - job.arrival, {}, 0};
  if (job.expired(begin) || job.cancelled()) {
    outcome.outputs = dropped_error(job, begin);
    return outcome;
  }
  const std::size_t row_count = job.job.row_count;
  Result<RowResults> results = model.model->run({std::move(job.job.inputs), row_count});
  outcome.ran = clock.now() - begin;
  outcome.batch_rows = row_count;
  if (!results.has_value()) {
    outcome.outputs = std::move(results).error();
    return outcome;
  }
  RowResults rows = *std::move(results);
  outcome.outputs = own_rows(rows, 0, row_count, true);
  return outcome;
}

}  // namespace

Error dropped_error(const WaitingJob& job, TimePoint now) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double waited_ms = Milliseconds(now - job.arrival).count();
  const std::string& model = job.job.model->name;
  if (job.cancelled()) {
    return {Code::kCancelled,
            fmt::format("cancelled after {:.1f} ms in the queue of model '{}'", waited_ms, model)};
  }
  return {Code::kDeadlineExceeded,
          fmt::format("the deadline passed after {:.1f} ms in the queue of model '{}'", waited_ms,
                      model)};
}

BatchReport run_jobs(const LoadedModel& model, std::span<WaitingJob> jobs, const Clock& clock,
                     TimePoint begin) {
  BatchReport report;
  for (const WaitingJob& each : jobs) {
    report.row_count += each.job.row_count;
  }
  const bool is_one = jobs.size() == 1;
  const Batch batch{is_one ? std::move(jobs.front().job.inputs) : joined_inputs(jobs),
                    report.row_count};
  report.joined = is_one ? Duration::zero() : clock.now() - begin;
  Result<RowResults> run = run_once(model, batch, !is_one);
  const TimePoint end = clock.now();
  report.ran = end - begin;
  report.succeeded = run.has_value();
  if (!report.succeeded && !is_one) {
    report.retried = jobs.size();
    for (WaitingJob& each : jobs) {
      report.outcomes.push_back(run_alone(model, each, clock));
    }
    return report;
  }
  if (!report.succeeded) {
    report.outcomes.push_back(
        {std::move(run).error(), begin - jobs.front().arrival, report.ran, report.row_count});
    return report;
  }
  RowResults results = *std::move(run);
  std::size_t row = 0;
  for (const WaitingJob& each : jobs) {
    report.outcomes.push_back({own_rows(results, row, each.job.row_count, is_one),
                               begin - each.arrival, report.ran, report.row_count});
    row += each.job.row_count;
  }
  report.split = is_one ? Duration::zero() : clock.now() - end;
  return report;
}

}  // namespace braid
