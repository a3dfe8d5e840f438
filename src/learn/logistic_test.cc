#include "learn/logistic.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/golden.h"

namespace braid {
namespace {

// Scikit-learn's coefficients, which are [classes, columns], beginning with column `first`.
void expect_coefficients(const Json& golden, const Matrix& weights, std::size_t first) {
  const Matrix coefficients = golden_matrix(golden);
  for (std::size_t column = 0; column < weights.row_count; ++column) {
    for (std::size_t c = 0; c < weights.width; ++c) {
      EXPECT_NEAR(weights.at(column, c), coefficients.at(c, first + column), 1e-3);
    }
  }
}

// The intercepts are not regularised, so only their differences are determined.
void expect_intercepts(const Json& golden, const std::vector<double>& bias) {
  const std::vector<double> intercepts = golden_numbers(golden);
  for (std::size_t c = 1; c < bias.size(); ++c) {
    EXPECT_NEAR(bias[c] - bias[0], intercepts[c] - intercepts[0], 1e-3);
  }
}

TEST(Logistic, FindsTheCoefficientsOfScikitLearn) {
  const Json golden = read_golden("logistic.json");
  const Matrix rows = golden_matrix(*golden.find("rows"));
  const auto labels = golden_labels(*golden.find("labels"));
  const auto weights = golden_numbers(*golden.find("weights"));

  const Logistic fitted =
      fit_logistic({{&rows}, labels, weights, 3},
                   {.strength = golden.find("strength")->number(), .gradient_max = 1e-9});

  EXPECT_TRUE(fitted.converged);
  expect_coefficients(*golden.find("coefficients"), fitted.weights[0], 0);
  expect_intercepts(*golden.find("intercepts"), fitted.bias);
}

TEST(Logistic, GivesTheProbabilitiesOfScikitLearnAtItsUsualPrecision) {
  const Json golden = read_golden("logistic.json");
  const Matrix rows = golden_matrix(*golden.find("rows"));
  const auto labels = golden_labels(*golden.find("labels"));
  const auto weights = golden_numbers(*golden.find("weights"));
  const Matrix expected = golden_matrix(*golden.find("probabilities"));

  const Logistic fitted =
      fit_logistic({{&rows}, labels, weights, 3},
                   {.strength = golden.find("strength")->number(), .gradient_max = 1e-6});

  for (std::size_t i = 0; i < rows.row_count; ++i) {
    std::vector<double> odds = fitted.bias;
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t column = 0; column < rows.width; ++column) {
        odds[c] += rows.at(i, column) * fitted.weights[0].at(column, c);
      }
      odds[c] = std::exp(odds[c]);
      sum += odds[c];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(odds[c] / sum, expected.at(i, c), 1e-4);
    }
  }
}

// The oracle fits real copies of the rows with zeros in place of a block.
TEST(Logistic, BlankedCopiesAreRowsWithZeros) {
  const Json golden = read_golden("dropout.json");
  const Matrix first = golden_matrix(*golden.find("first"));
  const Matrix second = golden_matrix(*golden.find("second"));
  const auto labels = golden_labels(*golden.find("labels"));
  const std::vector<double> weights(labels.size(), 1);

  const Logistic fitted =
      fit_logistic({{&first, &second}, labels, weights, 3},
                   {.strength = golden.find("strength")->number(),
                    .copies = {{{true, true}, 1}, {{false, true}, 0.5}, {{true, false}, 0.5}},
                    .gradient_max = 1e-9});

  expect_coefficients(*golden.find("coefficients"), fitted.weights[0], 0);
  expect_coefficients(*golden.find("coefficients"), fitted.weights[1], 3);
  expect_intercepts(*golden.find("intercepts"), fitted.bias);
}

// A fold may lack a rare class. Its intercept has no finite optimum, and must not spoil the others.
TEST(Logistic, AClassWithoutRowsIsUnlikelyAndHarmless) {
  const Json golden = read_golden("logistic.json");
  const Matrix rows = golden_matrix(*golden.find("rows"));
  const auto labels = golden_labels(*golden.find("labels"));
  const auto weights = golden_numbers(*golden.find("weights"));

  const Logistic fitted =
      fit_logistic({{&rows}, labels, weights, 4},
                   {.strength = golden.find("strength")->number(), .gradient_max = 1e-9});

  EXPECT_TRUE(fitted.converged);
  const std::vector<double> intercepts = golden_numbers(*golden.find("intercepts"));
  EXPECT_NEAR(fitted.bias[1] - fitted.bias[0], intercepts[1] - intercepts[0], 1e-3);
  EXPECT_LT(fitted.bias[3], fitted.bias[0] - 9);
  for (std::size_t column = 0; column < rows.width; ++column) {
    EXPECT_EQ(fitted.weights[0].at(column, 3), 0);
  }
}

}  // namespace
}  // namespace braid
