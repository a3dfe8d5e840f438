#include "policy/run_time.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

TEST(RunTimeEstimate, KnowsNothingBeforeTheFirstRun) {
  const RunTimeEstimate estimate;
  EXPECT_FALSE(estimate.known());
  EXPECT_EQ(estimate.mean(5), 0ns);
  EXPECT_EQ(estimate.rows_seen_max(), 0U);
}

// The first run allocates. Were it to count, it could bar its plan for ever.
TEST(RunTimeEstimate, DoesNotCountTheFirstRun) {
  RunTimeEstimate estimate;
  estimate.observe(1, 90ms);
  EXPECT_FALSE(estimate.known());
  EXPECT_EQ(estimate.mean(1), 0ms);
  EXPECT_EQ(estimate.rows_seen_max(), 1U);
  estimate.observe(1, 10ms);
  EXPECT_TRUE(estimate.known());
  EXPECT_EQ(estimate.mean(1), 10ms);
  EXPECT_EQ(estimate.tail(), 0ns);
}

TEST(RunTimeEstimate, FindsTheLineThroughExactRuns) {
  RunTimeEstimate estimate;
  for (const std::size_t rows : {1U, 1U, 4U, 2U, 32U, 8U, 1U, 16U}) {
    estimate.observe(rows, 5ms + rows * 100us);
  }
  EXPECT_NEAR(static_cast<double>(estimate.fixed().count()), 5e6, 10);
  EXPECT_NEAR(static_cast<double>(estimate.per_row().count()), 1e5, 10);
  EXPECT_NEAR(static_cast<double>(estimate.tail().count()), 0, 20);
  EXPECT_EQ(estimate.rows_seen_max(), 32U);
}

TEST(RunTimeEstimate, CountsTimeAsFixedUntilRowsVary) {
  RunTimeEstimate estimate;
  for (int i = 0; i < 10; ++i) {
    estimate.observe(2, 6ms);
  }
  EXPECT_EQ(estimate.fixed(), 6ms);
  EXPECT_EQ(estimate.per_row(), 0ns);
}

// Points (1, 3), (2, 1): the line falls, which no run does. So the mean 2 is all fixed.
TEST(RunTimeEstimate, NeverPromisesTimeBackForMoreRows) {
  RunTimeEstimate estimate;
  estimate.observe(1, 90ms);  // the first run, not counted
  estimate.observe(1, 3ms);
  estimate.observe(2, 1ms);
  EXPECT_EQ(estimate.per_row(), 0ns);
  EXPECT_NEAR(static_cast<double>(estimate.fixed().count()), 2e6, 2e3);
}

// After n runs at the second speed the first one weighs 0.998^n: 0.998^2000 = 1.8 %.
TEST(RunTimeEstimate, FollowsAMachineThatSlowsDown) {
  RunTimeEstimate estimate;
  for (int i = 0; i < 5000; ++i) {
    estimate.observe(1, 10ms);
  }
  for (int i = 0; i < 2000; ++i) {
    estimate.observe(1, 20ms);
  }
  EXPECT_NEAR(static_cast<double>(estimate.mean(1).count()), 19.82e6, 0.05e6);
}

// One run in ten takes 10 ms more. With a mean of 2 ms the 95th percentile is 11 - 2 = 9 ms above.
TEST(RunTimeEstimate, MeasuresTheTailAboveTheMean) {
  RunTimeEstimate estimate;
  for (int i = 0; i < 2000; ++i) {
    estimate.observe(1, i % 10 == 0 ? 11ms : 1ms);
  }
  EXPECT_NEAR(static_cast<double>(estimate.tail().count()), 9e6, 0.2e6);
}

}  // namespace
}  // namespace braid
