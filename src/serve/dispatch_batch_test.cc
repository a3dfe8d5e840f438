#include "serve/dispatch_batch.h"

#include <atomic>

#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

class DispatchBatch : public testing::Test {
 protected:
  WaitingJob job(const std::vector<float>& values) const {
    WaitingJob waiting;
    waiting.job.inputs = fake_inputs(values);
    waiting.job.row_count = values.size();
    return waiting;
  }

  BatchReport run(const ModelHandle& model, std::vector<WaitingJob> jobs) {
    for (WaitingJob& each : jobs) {
      each.job.model = model;
    }
    return run_jobs(*model, jobs, clock_, clock_.now());
  }

  static std::vector<WaitingJob> list(WaitingJob first, WaitingJob second) {
    std::vector<WaitingJob> jobs;
    jobs.push_back(std::move(first));
    jobs.push_back(std::move(second));
    return jobs;
  }

  static std::vector<float> values(const JobOutcome& outcome) {
    const auto span = outcome.outputs->front().tensor.values<float>();
    return {span.begin(), span.end()};
  }

  ManualClock clock_;
};

TEST_F(DispatchBatch, GivesEachJobItsOwnRowsOfOneRun) {
  int run_count = 0;
  const ModelHandle model = fake_model([&](const Batch& batch) {
    ++run_count;
    EXPECT_EQ(batch.row_count, 3U);
    clock_.advance(7ms);
    return twice(batch);
  });

  const BatchReport report = run(model, list(job({1, 2}), job({3})));

  EXPECT_EQ(run_count, 1);
  EXPECT_EQ(values(report.outcomes[0]), (std::vector<float>{2, 4}));
  EXPECT_EQ(values(report.outcomes[1]), (std::vector<float>{6}));
  EXPECT_EQ(report.outcomes[1].batch_rows, 3U);
  EXPECT_EQ(report.outcomes[1].ran, 7ms);
  EXPECT_TRUE(report.succeeded);
  EXPECT_EQ(report.row_count, 3U);
}

// Row 2 of the batch is row 0 of the second job.
TEST_F(DispatchBatch, ABadRowFailsOnlyTheJobThatOwnsIt) {
  const ModelHandle model = fake_model([](const Batch& batch) {
    RowResults results = *twice(batch);
    results.failures.emplace(2, Error{Code::kInvalidArgument, "no such word"});
    return Result<RowResults>(std::move(results));
  });

  const BatchReport report = run(model, list(job({1, 2}), job({3})));

  EXPECT_TRUE(report.outcomes[0].outputs.has_value());
  EXPECT_EQ(report.outcomes[1].outputs.error().describe(), "row 0: no such word");
}

TEST_F(DispatchBatch, AFailingBatchIsRetriedJobByJob) {
  std::vector<std::size_t> sizes;
  const ModelHandle model = fake_model([&](const Batch& batch) -> Result<RowResults> {
    sizes.push_back(batch.row_count);
    for (const float value : batch.inputs.front().tensor.values<float>()) {
      if (value < 0) {
        return Error{Code::kInvalidArgument, "negative"};
      }
    }
    return twice(batch);
  });

  const BatchReport report = run(model, list(job({1, 2}), job({-3})));

  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 1}));
  EXPECT_EQ(values(report.outcomes[0]), (std::vector<float>{2, 4}));
  EXPECT_EQ(report.outcomes[0].batch_rows, 2U);
  EXPECT_EQ(report.outcomes[1].outputs.error().message, "negative");
  EXPECT_EQ(report.retried, 2U);
  EXPECT_FALSE(report.succeeded);
}

TEST_F(DispatchBatch, AJobThatFailedAloneIsNotRetried) {
  int run_count = 0;
  const ModelHandle model = fake_model([&](const Batch&) -> Result<RowResults> {
    ++run_count;
    return Error{Code::kInternal, "broken"};
  });
  std::vector<WaitingJob> jobs;
  jobs.push_back(job({1}));

  const BatchReport report = run(model, std::move(jobs));

  EXPECT_EQ(run_count, 1);
  EXPECT_EQ(report.outcomes[0].outputs.error().message, "broken");
}

TEST_F(DispatchBatch, WhoExpiresDuringTheFailedRunIsNotRunAgain) {
  int run_count = 0;
  const ModelHandle model = fake_model([&](const Batch&) -> Result<RowResults> {
    ++run_count;
    clock_.advance(10ms);
    return Error{Code::kInternal, "broken"};
  });
  WaitingJob hasty = job({1});
  hasty.deadline = clock_.now() + 5ms;

  const BatchReport report = run(model, list(std::move(hasty), job({2})));

  EXPECT_EQ(run_count, 2);
  EXPECT_EQ(report.outcomes[0].outputs.error().code, Code::kDeadlineExceeded);
  EXPECT_EQ(report.outcomes[1].outputs.error().code, Code::kInternal);
}

// A model that answers with one row for the whole batch cannot be joined; alone each is served.
TEST_F(DispatchBatch, OutputsWithoutABatchAxisAreServedJobByJob) {
  const ModelHandle model = fake_model([](const Batch& batch) {
    RowResults results;
    float sum = 0;
    for (const float value : batch.inputs.front().tensor.values<float>()) {
      sum += value;
    }
    results.outputs.push_back({"y", *Tensor::from(Shape{1, 1}, std::vector<float>{sum})});
    return Result<RowResults>(std::move(results));
  });

  const BatchReport report = run(model, list(job({1, 2}), job({5})));

  EXPECT_EQ(values(report.outcomes[0]), (std::vector<float>{3}));
  EXPECT_EQ(values(report.outcomes[1]), (std::vector<float>{5}));
}

}  // namespace
}  // namespace braid
