#include "learn/folds.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

struct Cases {
  std::vector<std::size_t> labels;
  std::vector<std::string> groups;
};

// 3 classes of 60, 30 and 12 rows; every third row shares its group with the row before.
Cases some_cases() {
  Cases cases;
  for (std::size_t i = 0; i < 102; ++i) {
    cases.labels.push_back(i < 60 ? 0 : i < 90 ? 1 : 2);
    cases.groups.push_back("g" + std::to_string(i - (i % 3 == 2 ? 1 : 0)));
  }
  return cases;
}

TEST(Folds, KeepGroupsWhole) {
  const Cases cases = some_cases();

  const auto folds = stratified_group_folds(cases.labels, cases.groups, 4, 0);

  std::map<std::string, std::set<std::size_t>> folds_of;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    folds_of[cases.groups[i]].insert(folds[i]);
  }
  for (const auto& [group, seen] : folds_of) {
    EXPECT_EQ(seen.size(), 1U) << group;
  }
}

// A quarter of each class is 15, 7.5 and 3 rows; groups of two rows make one more or less.
TEST(Folds, HaveTheirShareOfEachClass) {
  const Cases cases = some_cases();

  const auto folds = stratified_group_folds(cases.labels, cases.groups, 4, 0);

  for (std::size_t fold = 0; fold < 4; ++fold) {
    std::vector<std::size_t> of_class(3);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      of_class[cases.labels[i]] += folds[i] == fold ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(of_class[0]), 15, 1);
    EXPECT_NEAR(static_cast<double>(of_class[1]), 7.5, 1.5);
    EXPECT_NEAR(static_cast<double>(of_class[2]), 3, 1);
  }
}

TEST(Folds, DependOnTheSeedAndOnNothingElse) {
  const Cases cases = some_cases();
  const auto folds = [&](std::uint64_t seed) {
    return stratified_group_folds(cases.labels, cases.groups, 4, seed);
  };

  EXPECT_EQ(folds(7), folds(7));
  EXPECT_NE(folds(7), folds(8));
}

}  // namespace
}  // namespace braid
