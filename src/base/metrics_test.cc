#include "base/metrics.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Metrics, TheSameNameAndLabelsAreOneInstrument) {
  Metrics metrics;
  metrics.counter("requests", "all of them", {{"pipeline", "a"}}).add(2);
  metrics.counter("requests", "all of them", {{"pipeline", "a"}}).add();
  metrics.counter("requests", "all of them", {{"pipeline", "b"}}).add();
  const auto families = metrics.families();
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0].help, "all of them");
  ASSERT_EQ(families[0].instruments.size(), 2U);
  EXPECT_EQ(families[0].instruments[0]->counter->value(), 3U);
  EXPECT_EQ(families[0].instruments[1]->counter->value(), 1U);
}

TEST(Metrics, FamiliesComeInAlphabeticalOrder) {
  Metrics metrics;
  metrics.gauge("z", "").set(1.5);
  metrics.counter("a", "");
  metrics.histogram("m", "", {1});
  const auto families = metrics.families();
  EXPECT_EQ(families[0].name, "a");
  EXPECT_EQ(families[1].kind, Metrics::Kind::kHistogram);
  EXPECT_EQ(families[2].instruments[0]->gauge->value(), 1.5);
}

// Prometheus' `le`: a value that equals a bound is counted below it.
TEST(Histogram, CountsUpToAndWithEachBound) {
  Histogram histogram({1, 10});
  for (const double value : {0.5, 1.0, 1.1, 10.0, 11.0, 1e9}) {
    histogram.observe(value);
  }
  EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{2, 2, 2}));
  EXPECT_DOUBLE_EQ(histogram.sum(), 0.5 + 1 + 1.1 + 10 + 11 + 1e9);
}

TEST(Metrics, CountsFromManyThreadsAreAllThere) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) {
        metrics.counter("c", "").add();
        metrics.gauge("g", "").add(0.5);
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(metrics.counter("c", "").value(), 4000U);
  EXPECT_EQ(metrics.gauge("g", "").value(), 2000);
}

TEST(MetricsDeathTest, ANameHasOneKind) {
  Metrics metrics;
  metrics.counter("x", "");
  EXPECT_DEATH(metrics.gauge("x", ""), "broken promise");
}

TEST(LatencyBounds, Ascend) {
  const auto bounds = latency_bounds_ms();
  EXPECT_TRUE(std::ranges::is_sorted(bounds));
  EXPECT_EQ(bounds.front(), 0.05);
  EXPECT_EQ(bounds.back(), 30000);
}

}  // namespace
}  // namespace braid
