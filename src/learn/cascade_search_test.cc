#include "learn/cascade_search.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;

/// Ten rows; the cheap plan costs 1 and is sure of row 0 most, the full one costs 10 more and is
/// right everywhere; the cheap one is wrong on rows 3, 8 and 9.
class CascadeSearch : public testing::Test {
 protected:
  CascadeSearch() {
    for (const double milliseconds : {1.0, 10.0}) {
      VariantRows rows;
      rows.present.assign(10, true);
      rows.milliseconds = milliseconds;
      embedded_[milliseconds == 1.0 ? 0 : 1].push_back(std::move(rows));
    }
    plans_ = {{.name = "cheap", .pattern = {0, std::nullopt}, .confidence = {}, .correct = {}},
              {.name = "full", .pattern = {0, 0}, .confidence = {}, .correct = {}}};
    for (std::size_t i = 0; i < 10; ++i) {
      const bool right = i != 3 && i < 8;
      plans_[0].confidence.push_back(0.95 - 0.05 * static_cast<double>(i));
      plans_[0].correct.push_back(right ? 1 : 0);
      plans_[0].worth.push_back(right ? 0.9 : 0.1);
      plans_[1].confidence.push_back(0.9);
      plans_[1].correct.push_back(1);
      plans_[1].worth.push_back(0.9);
    }
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  }

  std::vector<PlanOutcome> plans_;
  EmbeddedRows embedded_ = EmbeddedRows(2);
  std::vector<double> weights_ = std::vector<double>(10, 1);
  std::vector<std::size_t> rows_ = std::vector<std::size_t>(10);
  const PlanRows all_{plans_, embedded_, weights_};
};

// By hand: without a loss only rows 0 to 2 may stop: between 0.85 and 0.80.
TEST_F(CascadeSearch, StopsAboveTheFirstLoss) {
  const CascadeSteps steps = cheapest_cascade(all_, rows_, 0);
  EXPECT_THAT(steps.plans, ElementsAre(0, 1));
  EXPECT_THAT(steps.answer_above, ElementsAre(testing::DoubleNear(0.825, 1e-9)));
}

// By hand: a third of three rows is one; the next one, 0.80 < 0.85 < 0.90, is the limit.
TEST_F(CascadeSearch, HoldsBackTheLeastSure) {
  CascadeSteps steps{{0, 1}, {0.825}};
  hold_back(all_, rows_, 0.34, steps);
  EXPECT_THAT(steps.answer_above, ElementsAre(testing::DoubleNear(0.90, 1e-9)));
  hold_back(all_, rows_, 0, steps);
  EXPECT_THAT(steps.answer_above, ElementsAre(testing::DoubleNear(0.90, 1e-9)));
}

// By hand: rows 0 to 4 stop, of which row 3 is lost; the other five pay 11.
TEST_F(CascadeSearch, SumsWhatACascadeDoes) {
  const CascadeOutcome outcome = outcome_of(all_, rows_, {{0, 1}, {0.72}});
  EXPECT_THAT(outcome.answered, ElementsAre(5, 5));
  EXPECT_EQ(outcome.right, 9);
  EXPECT_EQ(outcome.lost, 1);
  EXPECT_EQ(outcome.gained, 0);
  EXPECT_EQ(outcome.cost, 5 * 1 + 5 * 11);
}

}  // namespace
}  // namespace braid
