#include "serve/dispatch_model.h"

#include <limits>

#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

JoinLimits limits(std::size_t rows_max, ModelConfig config) {
  return JoinLimits::of(*fake_model(twice, rows_max, std::move(config)));
}

TEST(JoinLimits, WithoutAConfigTheDefaultsHold) {
  const JoinLimits actual = limits(1024, {});
  EXPECT_TRUE(actual.joined);
  EXPECT_EQ(actual.rows_max, 32U);
  EXPECT_EQ(actual.wait_max, 50ms);
  EXPECT_EQ(actual.runs_max, 0U);
}

TEST(JoinLimits, TheModelMayTakeFewerRows) { EXPECT_EQ(limits(8, {}).rows_max, 8U); }

TEST(JoinLimits, WithoutABatchAxisJobsRunWholeAndAlone) {
  const JoinLimits actual = limits(0, {});
  EXPECT_FALSE(actual.joined);
  EXPECT_EQ(actual.rows_max, std::numeric_limits<std::size_t>::max());
}

TEST(JoinLimits, AConfigWithoutDynamicBatchingKeepsJobsApart) {
  ModelConfig config;
  config.from_file = true;
  config.rows_max = 16;
  const JoinLimits actual = limits(1024, config);
  EXPECT_FALSE(actual.joined);
  EXPECT_EQ(actual.rows_max, 16U);
}

TEST(JoinLimits, TheConfigMayAskForLess) {
  ModelConfig config;
  config.from_file = true;
  config.rows_max = 16;
  config.batching = BatchConfig{.rows_max = 64, .wait_max = 2ms, .preferred_rows = {4, 8}};
  config.instance_count = 1;
  const ModelHandle model = fake_model(twice, 1024, config);
  const JoinLimits actual = JoinLimits::of(*model);
  EXPECT_TRUE(actual.joined);
  EXPECT_EQ(actual.rows_max, 16U);
  EXPECT_EQ(actual.wait_max, 2ms);
  EXPECT_EQ(actual.preferred_rows.size(), 2U);
  EXPECT_EQ(actual.runs_max, 1U);
}

}  // namespace
}  // namespace braid
