#include "net/load/latency_histogram.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

// Nearest rank by hand: of 1 … 100 the p-th percentile is p.
TEST(LatencyHistogram, PercentilesOfAHundred) {
  LatencyHistogram latency;
  for (int i = 100; i >= 1; --i) {
    latency.add(std::chrono::nanoseconds(i));
  }
  EXPECT_EQ(latency.count(), 100U);
  EXPECT_EQ(latency.percentile(.5), 50ns);
  EXPECT_EQ(latency.percentile(.95), 95ns);
  EXPECT_EQ(latency.percentile(.99), 99ns);
  EXPECT_EQ(latency.percentile(.991), 100ns);
  EXPECT_EQ(latency.percentile(1), 100ns);
  EXPECT_EQ(latency.percentile(0), 1ns);
  EXPECT_EQ(latency.max(), 100ns);
  EXPECT_NEAR(static_cast<double>(latency.mean().count()), 50.5, .5);
}

// Of five the median is the third, and every percentile above 80 the fifth.
TEST(LatencyHistogram, PercentilesOfFive) {
  LatencyHistogram latency;
  for (const auto each : {900ns, 7ns, 30ns, 500ns, 8ns}) {
    latency.add(each);
  }
  EXPECT_EQ(latency.percentile(.5), 30ns);
  EXPECT_EQ(latency.percentile(.8), 500ns);
  EXPECT_EQ(latency.percentile(.81), 900ns);
}

TEST(LatencyHistogram, KeepsEachDurationToOnePartInTwoThousand) {
  for (std::int64_t exact = 1; exact < 4'000'000'000'000; exact = exact * 21 / 20 + 1) {
    LatencyHistogram latency;
    latency.add(std::chrono::nanoseconds(exact));
    latency.add(73min);  // so that the percentile is not the largest, which is exact
    const auto told = static_cast<double>(latency.percentile(.5).count());
    EXPECT_NEAR(told, static_cast<double>(exact), static_cast<double>(exact) / 2000) << exact;
  }
}

TEST(LatencyHistogram, MergesAsIfAllWereAddedToOne) {
  LatencyHistogram left;
  LatencyHistogram right;
  LatencyHistogram all;
  for (int i = 0; i < 1000; ++i) {
    const auto each = std::chrono::microseconds(i * 37 % 1000);
    (i % 3 == 0 ? left : right).add(each);
    all.add(each);
  }
  left.merge(right);
  EXPECT_EQ(left.count(), 1000U);
  for (const double fraction : {.01, .5, .95, .99, 1.0}) {
    EXPECT_EQ(left.percentile(fraction), all.percentile(fraction)) << fraction;
  }
  EXPECT_EQ(left.mean(), all.mean());
}

TEST(LatencyHistogram, TakesWhatCannotBe) {
  LatencyHistogram latency;
  EXPECT_EQ(latency.percentile(.5), 0ns);
  EXPECT_EQ(latency.mean(), 0ns);
  latency.add(-5s);
  EXPECT_EQ(latency.max(), 0ns);
  latency.add(1000h);
  EXPECT_GT(latency.max(), 73min);
  EXPECT_LT(latency.max(), 74min);
}

}  // namespace
}  // namespace braid
