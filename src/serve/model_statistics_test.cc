#include "serve/model_statistics.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

// By hand: a batch of 3 + 1 rows whose joining took 1 ms, run 4 ms and splitting 2 ms.
TEST(ModelStatistics, CountsJobsRowsAndWhereTimeWent) {
  ModelStatistics statistics;
  BatchReport report{.outcomes = {}, .row_count = 4, .joined = 1ms, .ran = 5ms, .split = 2ms};
  report.outcomes.push_back({NamedTensors(), 10ms, 5ms, 4});
  report.outcomes.push_back({Error{Code::kInternal, "row 0"}, 20ms, 5ms, 4});

  statistics.add(report, TimePoint{} + 1h);
  statistics.add_dropped(50ms);

  EXPECT_EQ(statistics.row_count, 4U);
  EXPECT_EQ(statistics.run_count, 1U);
  EXPECT_EQ(statistics.success.count, 1U);
  EXPECT_EQ(statistics.success.total, 17ms);
  EXPECT_EQ(statistics.fail.count, 2U);
  EXPECT_EQ(statistics.fail.total, 77ms);
  EXPECT_EQ(statistics.queue.total, 30ms);
  EXPECT_EQ(statistics.run.count, 2U);
  EXPECT_EQ(statistics.run.total, 8ms);
  EXPECT_EQ(statistics.runs.at(4).run.count, 1U);
  EXPECT_EQ(statistics.runs.at(4).run.total, 4ms);
  EXPECT_EQ(statistics.last_run, TimePoint{} + 1h);
}

}  // namespace
}  // namespace braid
