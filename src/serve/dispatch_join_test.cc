#include "serve/dispatch_join.h"

#include <gtest/gtest.h>

#include "serve/dispatch_batch.h"
#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

const Padding kPadding{"mask", {"ids", "mask"}, {"doubled"}};

WaitingJob text(const std::vector<float>& ids, std::size_t rows = 1) {
  WaitingJob waiting;
  const Shape shape{rows, ids.size() / rows};
  waiting.job.row_count = rows;
  waiting.job.inputs.push_back({"ids", *Tensor::from(shape, ids)});
  waiting.job.inputs.push_back({"mask", *Tensor::from(shape, std::vector<float>(ids.size(), 1))});
  return waiting;
}

std::vector<float> numbers(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

using Numbers = std::vector<float>;

TEST(JoinJobs, FillsUpToTheLongestAndTheMaskWithIt) {
  std::vector<WaitingJob> jobs;
  jobs.push_back(text({1, 2}));
  jobs.push_back(text({3, 4, 5, 6, 7, 8}, 2));
  const JoinedRows joined = join_jobs(kPadding, jobs);
  EXPECT_EQ(joined.length, 3U);
  EXPECT_EQ(joined.inputs[0].tensor.shape(), (Shape{3, 3}));
  EXPECT_EQ(numbers(joined.inputs[0].tensor), (Numbers{1, 2, 0, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(numbers(joined.inputs[1].tensor), (Numbers{1, 1, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(JoinJobs, CutsEachJobsRowsToItsOwnLength) {
  std::vector<WaitingJob> jobs;
  jobs.push_back(text({1, 2}));
  jobs.push_back(text({3, 4, 5}));
  NamedTensors outputs;
  outputs.push_back({"doubled", *Tensor::from(Shape{2, 3, 1}, Numbers{2, 4, 0, 6, 8, 10})});
  outputs.push_back({"mean", *Tensor::from(Shape{2, 3}, Numbers{1, 1, 1, 2, 2, 2})});
  const NamedTensors first = rows_of(jobs[0].job, kPadding, 3, outputs, 0, 1);
  EXPECT_EQ(first[0].tensor.shape(), (Shape{1, 2, 1}));
  EXPECT_EQ(numbers(first[0].tensor), (Numbers{2, 4}));
  EXPECT_EQ(numbers(first[1].tensor), (Numbers{1, 1, 1}))
      << "it has no length, only as many columns";
  const NamedTensors second = rows_of(jobs[1].job, kPadding, 3, outputs, 1, 1);
  EXPECT_EQ(numbers(second[0].tensor), (Numbers{6, 8, 10}));
}

TEST(JoinJobs, ARunOverRowsOfTwoLengthsAnswersAsTwoRunsDo) {
  LoadedModel model = fake_loaded([](const Batch& batch) -> Result<RowResults> {
    Tensor doubled = batch.inputs.front().tensor.clone();
    for (float& value : doubled.mutable_values<float>()) {
      value *= 2;
    }
    RowResults results;
    results.outputs.push_back({"doubled", std::move(doubled)});
    return results;
  });
  model.padding = kPadding;
  std::vector<WaitingJob> jobs;
  jobs.push_back(text({1, 2}));
  jobs.push_back(text({3, 4, 5}));
  const ManualClock clock;
  const BatchReport report = run_jobs(model, jobs, clock, clock.now());
  ASSERT_TRUE(report.outcomes[0].outputs.has_value() && report.outcomes[1].outputs.has_value());
  EXPECT_EQ(numbers(report.outcomes[0].outputs->front().tensor), (Numbers{2, 4}));
  EXPECT_EQ(numbers(report.outcomes[1].outputs->front().tensor), (Numbers{6, 8, 10}));
}

}  // namespace
}  // namespace braid
