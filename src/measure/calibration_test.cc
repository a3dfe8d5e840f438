#include "measure/calibration.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "measure/golden_scores.h"

namespace braid {
namespace {

TEST(Calibration, IsWhatNumpyComputesAnotherWay) {
  const GoldenScores golden;
  const auto cases = confidences(golden.answers);
  EXPECT_NEAR(expected_calibration_error(cases, {.debias = false}), golden.number("ece_mass_plain"),
              1e-9);
  EXPECT_NEAR(expected_calibration_error(cases, {.bins = Bins::kEqualWidth, .debias = false}),
              golden.number("ece_width_plain"), 1e-9);
  // The oracle draws 400,000 accuracies a bin, which leaves it a deviation of about 1e-4.
  EXPECT_NEAR(expected_calibration_error(cases), golden.number("ece_mass_debiased"), 1e-3);
}

// By hand: two bins of two cases; |0.5 − 0.3| and |1 − 0.8|, each with half of the cases.
TEST(Calibration, OfFourCasesIsWhatArithmeticSays) {
  const std::vector<Confidence> cases = {{0.9, true}, {0.2, false}, {0.4, true}, {0.7, true}};
  const CalibrationOptions two_bins{.bin_count = 2, .debias = false};
  EXPECT_NEAR(expected_calibration_error(cases, two_bins), 0.2, 1e-12);
}

TEST(Calibration, DoesNotDependOnTheOrderOfEqualConfidences) {
  std::vector<Confidence> cases;
  for (int i = 0; i < 60; ++i) {
    cases.push_back({0.8, i % 3 != 0});
  }
  const double as_given = expected_calibration_error(cases);
  std::ranges::sort(cases, {}, &Confidence::correct);
  EXPECT_EQ(expected_calibration_error(cases), as_given);
}

// shared/scheduling.md, section 5, measured elsewhere: a perfect model with 15 plain bins shows
// .076 at 179 cases and .037 at 752.
TEST(Calibration, ThePerfectModelsErrorShrinksWithTheCases) {
  const auto limit = [](std::size_t count) {
    std::vector<Confidence> cases;
    for (std::size_t i = 0; i < count; ++i) {
      cases.push_back({0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(count), true});
    }
    return perfect_calibration_limit(cases, 7, {.debias = false}, 300);
  };
  EXPECT_GT(limit(179), 0.076);  // the limit lies above the mean
  EXPECT_LT(limit(179), 0.14);
  EXPECT_GT(limit(752), 0.037);
  EXPECT_LT(limit(752), 0.07);
}

}  // namespace
}  // namespace braid
