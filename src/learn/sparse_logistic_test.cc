#include "learn/sparse_logistic.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/golden.h"
#include "learn/logistic.h"

namespace braid {
namespace {

SparseMatrix sparse(const Matrix& rows) {
  SparseMatrix matrix(rows.width);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    const auto row = rows.row(i);
    matrix.add_row(std::vector<float>(row.begin(), row.end()));
  }
  return matrix;
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

// Rows are kept in single precision, which moves coefficients in the fifth digit.
TEST(SparseLogistic, FindsTheCoefficientsOfScikitLearn) {
  const Json golden = read_golden("logistic.json");
  const SparseMatrix rows = sparse(golden_matrix(*golden.find("rows")));
  const auto labels = golden_labels(*golden.find("labels"));
  const auto weights = golden_numbers(*golden.find("weights"));
  const auto chosen = all_of(labels.size());

  const SparseLogistic fitted =
      fit_sparse_logistic({rows, chosen, labels, weights, 3},
                          {.strength = golden.find("strength")->number(), .gradient_max = 1e-8});

  EXPECT_TRUE(fitted.converged);
  const Matrix coefficients = golden_matrix(*golden.find("coefficients"));
  const std::vector<double> intercepts = golden_numbers(*golden.find("intercepts"));
  for (std::size_t column = 0; column < rows.width(); ++column) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(fitted.weights.at(column, c), coefficients.at(c, column), 1e-3);
    }
  }
  for (std::size_t c = 1; c < 3; ++c) {
    EXPECT_NEAR(fitted.bias[c] - fitted.bias[0], intercepts[c] - intercepts[0], 1e-3);
  }
}

// Only the chosen rows count, and a class that none of them has is all but impossible.
TEST(SparseLogistic, LooksAtTheChosenRowsOnly) {
  SparseMatrix rows(2);
  for (const std::vector<float>& row : std::vector<std::vector<float>>{{1, 0}, {0, 1}, {1, 1}}) {
    rows.add_row(row);
  }
  const std::vector<std::size_t> labels = {0, 1, 2};
  const std::vector<double> weights = {1, 1, 1};
  const std::vector<std::size_t> chosen = {0, 1};

  const SparseLogistic fitted = fit_sparse_logistic({rows, chosen, labels, weights, 3}, {});

  std::vector<double> logits(3);
  fitted.logits(rows, 0, logits);
  EXPECT_GT(logits[0], logits[1] + 1);
  EXPECT_LT(logits[2], logits[1] - 5);
}

// The size: 13,600 texts by 50,000 terms, a hundred terms a text, in 200 MB.
TEST(SparseMatrix, ATrainingMatrixOfTextsFits) {
  SparseMatrix rows(50'000);
  std::vector<float> row(50'000);
  for (std::size_t i = 0; i < 100; ++i) {
    row[i * 499] = 0.1F;
  }
  for (int i = 0; i < 136; ++i) {
    rows.add_row(row);
  }
  EXPECT_EQ(rows.cell_count(), 13'600U);
  EXPECT_LT(rows.size_bytes() * 100, 200U << 20);
}

}  // namespace
}  // namespace braid
