#include "net/load/arrivals.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// 100 a second for 1000 s: 100,000 on average, with a deviation of √100,000 = 316.
TEST(Arrivals, PoissonHasItsRate) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto arrivals = *poisson_arrivals(100, 1000s, seed);
    EXPECT_NEAR(static_cast<double>(arrivals.size()), 100'000, 4 * 316) << seed;
    EXPECT_TRUE(std::ranges::is_sorted(arrivals));
    EXPECT_GE(arrivals.front(), 0s);
    EXPECT_LT(arrivals.back(), 1000s);
  }
}

// Kolmogorov and Smirnov: the largest distance of n gaps from the exponential distribution is below
// 1.95 ÷ √n in 999 of 1000 samples.
TEST(Arrivals, PoissonGapsAreExponential) {
  const auto arrivals = *poisson_arrivals(50, 1000s, 7);
  std::vector<double> gaps;
  Duration last = 0s;
  for (const Duration at : arrivals) {
    gaps.push_back(seconds(at - last));
    last = at;
  }
  std::ranges::sort(gaps);
  const auto count = static_cast<double>(gaps.size());
  double distance = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double expected = 1 - std::exp(-50 * gaps[i]);
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / count),
                         std::abs(expected - static_cast<double>(i + 1) / count)});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(count));
}

// Counts of a Poisson process have a variance that equals their mean; evenly spaced ones have none.
TEST(Arrivals, PoissonCountsVaryAsMuchAsTheirMean) {
  const auto arrivals = *poisson_arrivals(20, 2000s, 11);
  std::vector<double> counts(2000);
  for (const Duration at : arrivals) {
    counts[static_cast<std::size_t>(seconds(at))] += 1;
  }
  double mean = 0;
  double square = 0;
  for (const double count : counts) {
    mean += count / 2000;
    square += count * count / 2000;
  }
  EXPECT_NEAR((square - mean * mean) / mean, 1, 4 * std::sqrt(2.0 / 2000));
}

TEST(Arrivals, TheSameSeedGivesTheSameTimes) {
  EXPECT_EQ(*poisson_arrivals(100, 10s, 5), *poisson_arrivals(100, 10s, 5));
  EXPECT_NE(*poisson_arrivals(100, 10s, 5), *poisson_arrivals(100, 10s, 6));
}

TEST(Arrivals, RefusesARateThatIsNone) {
  for (const double rate : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(poisson_arrivals(rate, 1s, 1).error().code, Code::kInvalidArgument) << rate;
  }
  EXPECT_EQ(poisson_arrivals(1e7, 1000s, 1).error().code, Code::kExhausted);
}

TEST(Arrivals, ReadsATraceInSecondsMillisecondsAndDates) {
  const Arrivals expected = {0ms, 250ms, 250ms, 1500ms};
  EXPECT_EQ(*trace_arrivals("10\n10.25\n10.25\n11.5\n", 1, 60s), expected);
  EXPECT_EQ(*trace_arrivals("timestamp_ms,length\n0,17\n250,1\n250,2\n1500,3\n", 1, 60s), expected);
  EXPECT_EQ(*trace_arrivals("TIMESTAMP,n\n2023-12-31 23:59:59.000,1\n2023-12-31T23:59:59.25,1\n"
                            "2023-12-31 23:59:59.25,1\n2024-01-01 00:00:00.5,1\n",
                            1, 60s),
            expected);
}

TEST(Arrivals, PlaysATraceFasterAndCutsIt) {
  const Arrivals twice = {0ms, 500ms, 1000ms};
  EXPECT_EQ(*trace_arrivals("t\n0\n1\n2\n3\n", 2, 1200ms), twice);
}

TEST(Arrivals, NamesTheLineThatIsWrong) {
  EXPECT_EQ(trace_arrivals("0\nlater\n", 1, 1s).error().message,
            "line 2: 'later' is no time; seconds, or 2023-11-16 18:17:03.979");
  EXPECT_EQ(trace_arrivals("t\n0\n3\n2\n", 1, 60s).error().message,
            "line 4: '2' is earlier than the line before; sort the trace");
  EXPECT_EQ(trace_arrivals("2023-02-29 00:00:00\n2023-02-29 00:00:00\n", 1, 1s).error().code,
            Code::kInvalidArgument);
  EXPECT_EQ(trace_arrivals("time\n", 1, 1s).error().message, "no line holds a time");
  EXPECT_EQ(trace_arrivals("", 1, 1s).error().code, Code::kInvalidArgument);
  EXPECT_EQ(trace_arrivals("0\n", 0, 1s).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace braid
