#include "learn/cascade_fit.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kRows = 100;

/// Two branches of one variant each: the first costs 1 core-ms, the second 10; all rows have both.
EmbeddedRows two_branches() {
  EmbeddedRows embedded(2);
  for (const double milliseconds : {1.0, 10.0}) {
    VariantRows rows;
    rows.present.assign(kRows, true);
    rows.milliseconds = milliseconds;
    embedded[milliseconds == 1.0 ? 0 : 1].push_back(std::move(rows));
  }
  return embedded;
}

/// Surely right on the first `sure` rows; on the others unsure and wrong.
PlanOutcome plan(const std::string& name, const Pattern& pattern, std::size_t sure) {
  PlanOutcome outcome{.name = name, .pattern = pattern, .confidence = {}, .correct = {}};
  for (std::size_t i = 0; i < kRows; ++i) {
    outcome.confidence.push_back(i < sure ? 0.9 : 0.5);
    outcome.correct.push_back(i < sure ? 1 : 0);
    outcome.worth.push_back(i < sure ? 0.9 : 0.2);
  }
  outcome.accuracy = static_cast<double>(sure) / kRows;
  outcome.cost_core_ms = pattern[1].has_value() ? 11 : 1;
  return outcome;
}

const Pattern kFirst = {0, std::nullopt};
const Pattern kBoth = {0, 0};
const std::vector<double> kWeights(kRows, 1);
const std::vector<std::size_t> kFolds = [] {
  std::vector<std::size_t> folds;
  for (std::size_t i = 0; i < kRows; ++i) {
    folds.push_back(i % 5);
  }
  return folds;
}();

// By hand: all rows pay 1, the 40 that are unsure pay 10 more: 5 instead of 11.
TEST(CascadeFit, GoesOnWhereTheCheapPlanIsUnsure) {
  const std::vector<PlanOutcome> plans = {plan("cheap", kFirst, 60), plan("full", kBoth, 100)};

  const CascadeChoice chosen = choose_cascade(plans, two_branches(), kWeights, kFolds, {});

  EXPECT_THAT(chosen.steps, ElementsAre(0, 1));
  EXPECT_THAT(chosen.answer_above, ElementsAre(DoubleNear(0.7, 1e-9)));  // between 0.5 and 0.9
  EXPECT_THAT(chosen.answered, ElementsAre(DoubleNear(0.6, 1e-9), DoubleNear(0.4, 1e-9)));
  EXPECT_NEAR(chosen.cost_core_ms, 5, 1e-9);
  EXPECT_NEAR(chosen.accuracy, 1, 1e-9);
  EXPECT_NEAR(chosen.saving(), 6.0 / 11, 1e-9);
}

// Sure and wrong: confidence cannot tell where to stop.
TEST(CascadeFit, StaysWithTheFullPlanWhereConfidenceLies) {
  std::vector<PlanOutcome> plans = {plan("cheap", kFirst, 60), plan("full", kBoth, 100)};
  std::fill(plans[0].confidence.begin(), plans[0].confidence.end(), 0.9);

  const CascadeChoice chosen = choose_cascade(plans, two_branches(), kWeights, kFolds, {});

  EXPECT_THAT(chosen.steps, ElementsAre(1));
  EXPECT_THAT(chosen.answer_above, IsEmpty());
  EXPECT_EQ(chosen.saving(), 0);
}

// Parts that were paid for are kept, so a later step must not drop a branch.
TEST(CascadeFit, NeverDropsABranch) {
  const Pattern second = {std::nullopt, 0};
  const std::vector<PlanOutcome> plans = {plan("cheap", kFirst, 60), plan("full", second, 100)};

  const CascadeChoice chosen = choose_cascade(plans, two_branches(), kWeights, kFolds, {});

  EXPECT_THAT(chosen.steps, ElementsAre(1));
}

TEST(CascadeFit, EndsInACheaperPlanThatIsAsGood) {
  const std::vector<PlanOutcome> plans = {plan("cheap", kFirst, 100), plan("full", kBoth, 100)};

  const CascadeChoice chosen = choose_cascade(plans, two_branches(), kWeights, kFolds, {});

  EXPECT_THAT(chosen.steps, ElementsAre(0));
  EXPECT_NEAR(chosen.saving(), 10.0 / 11, 1e-9);
}

// One row in ten of those that the cheap plan is surest of is lost, in no order: on the rows at
// hand a threshold above the first of them looks free, on others it is not.
TEST(CascadeFit, StaysWithTheFullPlanWhereOnlyLuckSaves) {
  std::vector<PlanOutcome> plans = {plan("cheap", kFirst, 100), plan("full", kBoth, 100)};
  for (std::size_t i = 0; i < kRows; ++i) {
    plans[0].confidence[i] = 0.99 - 0.001 * static_cast<double>(i);
    if (i % 10 == 7) {
      plans[0].correct[i] = 0;
      plans[0].worth[i] = 0.1;
    }
  }

  const CascadeChoice chosen = choose_cascade(plans, two_branches(), kWeights, kFolds, {});

  EXPECT_THAT(chosen.steps, ElementsAre(1));
}

}  // namespace
}  // namespace braid
