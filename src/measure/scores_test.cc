#include "measure/scores.h"

#include <cmath>

#include <gtest/gtest.h>

#include "measure/golden_scores.h"

namespace braid {
namespace {

TEST(Scores, AreThoseOfScikitLearn) {
  const GoldenScores golden;
  EXPECT_DOUBLE_EQ(accuracy(golden.answers), golden.number("accuracy"));
  EXPECT_NEAR(macro_f1(golden.answers), golden.number("macro_f1"), 1e-12);
  EXPECT_NEAR(mean(nll_per_case(golden.answers)), golden.number("nll"), 1e-6);
  EXPECT_NEAR(mean(brier_per_case(golden.answers)), golden.number("brier"), 1e-6);
  EXPECT_NEAR(confidence_auroc(golden.answers), golden.number("auroc"), 1e-12);
}

// Two classes by hand: -ln(0.8) = 0.22314, (0.2² + 0.2²) = 0.08.
TEST(Scores, OfOneCaseAreWhatArithmeticSays) {
  const std::vector<Answer> one = {{.truth = 1, .probabilities = {0.2, 0.8}}};
  EXPECT_NEAR(nll_per_case(one)[0], 0.22314, 1e-5);
  EXPECT_NEAR(brier_per_case(one)[0], 0.08, 1e-12);
  EXPECT_EQ(correct_per_case(one)[0], 1);
}

// One certain mistake must not make the mean of thousands infinite. 23 · ln 2 = 15.942.
TEST(Scores, ACertainMistakeCostsABoundedAmount) {
  const std::vector<Answer> one = {{.truth = 0, .probabilities = {0, 1}}};
  EXPECT_NEAR(nll_per_case(one)[0], 15.942, 1e-3);
}

TEST(Scores, ConfidenceRanksNothingWhenAllAreRight) {
  const std::vector<Answer> right(3, {.truth = 0, .probabilities = {0.9, 0.1}});
  EXPECT_EQ(confidence_auroc(right), 0.5);
}

// All classes equally likely would count as right whenever the first class is.
TEST(Scores, ARequestThatFailedIsNeverRight) {
  const std::vector<Answer> failed = {{.truth = 0, .probabilities = {0.5, 0.5}, .answered = false}};
  EXPECT_EQ(accuracy(failed), 0);
  EXPECT_EQ(macro_f1(failed), 0);
}

// NumPy: np.quantile([1, 2, 4], [0, .25, .5, .9, 1]) = [1, 1.5, 2, 3.6, 4].
TEST(Scores, QuantilesAreNumpys) {
  const std::vector<double> values = {4, 1, 2};
  const std::pair<double, double> expected[] = {{0, 1}, {0.25, 1.5}, {0.5, 2}, {0.9, 3.6}, {1, 4}};
  for (const auto& [share, value] : expected) {
    EXPECT_DOUBLE_EQ(quantile(values, share), value) << share;
  }
}

}  // namespace
}  // namespace braid
