#include "measure/bootstrap.h"

#include <gtest/gtest.h>

#include "measure/golden_scores.h"
#include "measure/scores.h"

namespace braid {
namespace {

std::vector<std::string> each_alone(std::size_t count) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.push_back(std::to_string(i));
  }
  return groups;
}

/// 0 and 1 in turn.
std::vector<double> coin(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 1; i < count; i += 2) {
    values[i] = 1;
  }
  return values;
}

TEST(Bootstrap, OfGroupsIsNumpys) {
  const GoldenScores golden;
  const Bootstrap bootstrap(golden.groups, {.draw_count = 20000});
  const Interval interval = bootstrap.mean(correct_per_case(golden.answers));
  const Json::List& expected = *golden.json.find("bootstrap_accuracy")->list();
  EXPECT_DOUBLE_EQ(interval.value, expected[0].number());
  EXPECT_NEAR(interval.low, expected[1].number(), 0.002);
  EXPECT_NEAR(interval.high, expected[2].number(), 0.002);
}

// Normal theory: 1.96 · 0.5 ÷ √400 = 0.049.
TEST(Bootstrap, OfSingleCasesIsAsWideAsNormalTheorySays) {
  const Interval interval = Bootstrap(each_alone(400)).mean(coin(400));
  EXPECT_EQ(interval.value, 0.5);
  EXPECT_NEAR(interval.low, 0.451, 0.006);
  EXPECT_NEAR(interval.high, 0.549, 0.006);
}

// Four copies of one case tell no more than one: 400 cases in 100 groups are as good as 100 cases,
// so the interval is twice as wide as without groups.
TEST(Bootstrap, CopiesInOneGroupAddNoCertainty) {
  std::vector<std::string> groups;
  std::vector<double> values;
  for (std::size_t i = 0; i < 400; ++i) {
    groups.push_back(std::to_string(i / 4));
    values.push_back(static_cast<double>(i / 4 % 2));
  }
  const Interval interval = Bootstrap(groups).mean(values);
  EXPECT_NEAR(interval.high - interval.low, 4 * 0.049, 0.02);
}

// Two models that fail on the same cases but one: paired, the difference is certain to a hair;
// unpaired, each accuracy alone is uncertain by ±.05.
TEST(Bootstrap, PairedDifferencesAreMuchNarrowerThanTheScoresThemselves) {
  const std::vector<double> first = coin(400);
  std::vector<double> second = first;
  second[1] = 0;
  const Bootstrap bootstrap(each_alone(400));
  const Interval difference = bootstrap.difference(first, second);
  EXPECT_DOUBLE_EQ(difference.value, 1.0 / 400);
  EXPECT_EQ(difference.low, 0);
  EXPECT_LE(difference.high, 4.0 / 400);
  EXPECT_FALSE(significant(difference));
  EXPECT_TRUE(non_inferior(bootstrap.difference(second, first), 0.01));
  EXPECT_FALSE(non_inferior(bootstrap.difference(second, first), 0.001));
}

TEST(Bootstrap, SavesWhatIsNotSpent) {
  const std::vector<double> whole(50, 60.0);
  const std::vector<double> part(50, 15.0);
  const Interval saved = Bootstrap(each_alone(50)).saving(part, whole);
  EXPECT_DOUBLE_EQ(saved.value, 0.75);
  EXPECT_DOUBLE_EQ(saved.low, 0.75);
  EXPECT_DOUBLE_EQ(saved.high, 0.75);
}

TEST(Bootstrap, TheSameSeedGivesTheSameInterval) {
  const auto low = [](std::uint64_t seed) {
    return Bootstrap(each_alone(37), {.draw_count = 50, .seed = seed}).mean(coin(37)).low;
  };
  EXPECT_EQ(low(3), low(3));
  EXPECT_NE(low(3), low(4));
}

}  // namespace
}  // namespace braid
