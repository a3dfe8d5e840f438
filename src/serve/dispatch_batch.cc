#include "serve/dispatch_batch.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "serve/dispatch_join.h"

namespace braid {
namespace {

/// An error too when rows were joined and an output lacks them: it cannot be taken apart.
Result<RowResults> run_once(const LoadedModel& model, const Batch& batch, bool is_joined,
                            bool is_wide) {
  BRAID_TRY(RowResults results, (is_wide ? model.wide.model : model.model)->run(batch));
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

/// The error of the job's first failed row, if one failed.
Result<void> check_rows(const RowResults& results, std::size_t begin, std::size_t count) {
  std::size_t row = 0;
  if (const Error* failure = failure_of(results, begin, count, row)) {
    return Error(*failure).within(fmt::format("row {}", row));
  }
  return {};
}

Result<NamedTensors> all_rows(RowResults results, std::size_t count) {
  BRAID_TRY_DO(check_rows(results, 0, count));
  return std::move(results.outputs);
}

JobOutcome run_alone(const LoadedModel& model, WaitingJob& job, const Clock& clock) {
  const TimePoint begin = clock.now();
  JobOutcome outcome{Error{Code::kInternal, "not run"}, begin - job.arrival, {}, 1, 0};
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
  outcome.outputs = all_rows(*std::move(results), row_count);
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
                     TimePoint begin, std::size_t core_count) {
  BatchReport report;
  for (const WaitingJob& each : jobs) {
    report.row_count += each.job.row_count;
  }
  const bool is_one = jobs.size() == 1;
  JoinedRows joined =
      is_one ? JoinedRows{std::move(jobs.front().job.inputs)} : join_jobs(model.padding, jobs);
  report.joined = is_one ? Duration::zero() : clock.now() - begin;
  Result<RowResults> run =
      run_once(model, {std::move(joined.inputs), report.row_count}, !is_one, core_count > 1);
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
  const auto answer = [&](const WaitingJob& job, Result<NamedTensors> outputs) {
    report.outcomes.push_back(
        {std::move(outputs), begin - job.arrival, report.ran, core_count, report.row_count});
  };
  if (is_one) {
    answer(jobs.front(), report.succeeded ? all_rows(*std::move(run), report.row_count)
                                          : Result<NamedTensors>(std::move(run).error()));
    return report;
  }
  std::size_t row = 0;
  for (const WaitingJob& each : jobs) {
    const std::size_t count = each.job.row_count;
    Result<void> checked = check_rows(*run, row, count);
    answer(each, checked.has_value()
                     ? Result<NamedTensors>(rows_of(each.job, model.padding, joined.length,
                                                    run->outputs, row, count))
                     : Result<NamedTensors>(std::move(checked).error()));
    row += count;
  }
  report.split = clock.now() - end;
  return report;
}

Error shutting_down_error() { return Error{Code::kUnavailable, "the dispatcher is shutting down"}; }

}  // namespace braid
