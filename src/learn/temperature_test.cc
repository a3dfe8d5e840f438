#include "learn/temperature.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::DoubleNear;

Matrix rows(std::size_t width, std::vector<double> values) {
  Matrix matrix(values.size() / width, width);
  matrix.values = std::move(values);
  return matrix;
}

// Of four answers with odds 9 : 1 three are right. Calibrated is 3 : 1, so log 9 ÷ T = log 3: T
// = 2.
TEST(Temperature, BringsConfidenceToTheShareThatIsRight) {
  const double sure = std::log(9);
  const Matrix scores = rows(2, {sure, 0, sure, 0, sure, 0, sure, 0});

  EXPECT_THAT(
      fit_temperature(scores, std::vector<std::size_t>{0, 0, 0, 1}, std::vector<double>(4, 1)),
      DoubleNear(2, 1e-6));
}

// The same by weight: one right row that counts threefold against one wrong row.
TEST(Temperature, CountsRowsByTheirWeight) {
  const Matrix scores = rows(2, {std::log(9), 0, std::log(9), 0});

  EXPECT_THAT(fit_temperature(scores, std::vector<std::size_t>{0, 1}, std::vector<double>{3, 1}),
              DoubleNear(2, 1e-6));
}

TEST(Temperature, StaysWithinItsBounds) {
  const Matrix scores = rows(2, {1, 0, 0, 1});
  const std::vector<double> weights(2, 1);

  EXPECT_THAT(fit_temperature(scores, std::vector<std::size_t>{0, 1}, weights),
              DoubleNear(0.05, 1e-6));
  EXPECT_THAT(fit_temperature(scores, std::vector<std::size_t>{1, 0}, weights),
              DoubleNear(20, 1e-6));
}

TEST(Temperature, LogSoftmaxDividesByIt) {
  Matrix scores = rows(2, {2 * std::log(3), 0});

  log_softmax(scores, 2);

  EXPECT_NEAR(std::exp(scores.at(0, 0)), 0.75, 1e-12);
  EXPECT_NEAR(std::exp(scores.at(0, 1)), 0.25, 1e-12);
}

TEST(Temperature, ScoresCountWeights) {
  const Matrix scores = rows(2, {std::log(0.8), std::log(0.2), std::log(0.4), std::log(0.6)});
  const std::vector<std::size_t> labels = {0, 0};
  const std::vector<double> weights = {3, 1};

  EXPECT_NEAR(accuracy_of(scores, labels, weights), 0.75, 1e-12);
  EXPECT_NEAR(mean_nll(scores, labels, weights), -(3 * std::log(0.8) + std::log(0.4)) / 4, 1e-12);
}

}  // namespace
}  // namespace braid
