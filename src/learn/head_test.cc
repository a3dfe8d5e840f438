#include "learn/head.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/golden.h"

namespace braid {
namespace {

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

Source present_everywhere(Matrix rows) {
  const std::size_t count = rows.row_count;
  return {std::move(rows), std::vector<bool>(count, true)};
}

std::vector<double> probabilities(const Head& head, std::span<const double> part) {
  std::vector<double> odds = head.bias;
  double sum = 0;
  for (std::size_t c = 0; c < odds.size(); ++c) {
    odds[c] = std::exp(odds[c] + part[c]);
    sum += odds[c];
  }
  for (double& odd : odds) {
    odd /= sum;
  }
  return odds;
}

// Standard scaler, principal components, unit mean length, regression: the head that is linear in
// raw rows answers as scikit-learn's chain does, on rows that it was not fitted on.
TEST(Head, FoldsTheWholeChainIntoOneAffineMap) {
  for (const char* name : {"components_wide.json", "components_tall.json"}) {
    const Json golden = read_golden(name);
    const Source source = present_everywhere(golden_matrix(*golden.find("training")));
    const auto labels = golden_labels(*golden.find("labels"));
    const auto components = static_cast<std::size_t>(golden.find("components")->number());
    const Block block = make_block(source, first_rows(labels.size()), components);
    const Block* blocks[] = {&block};

    const Head head =
        fit_head(blocks, {labels, std::vector<double>(labels.size(), 1), 3},
                 {.strength = golden.find("strength")->number(), .gradient_max = 1e-8});

    const Matrix others = golden_matrix(*golden.find("others"));
    const Matrix expected = golden_matrix(*golden.find("probabilities"));
    const Matrix logits = part_logits(head.parts[0], others);
    for (std::size_t i = 0; i < others.row_count; ++i) {
      const std::vector<double> given = probabilities(head, logits.row(i));
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(given[c], expected.at(i, c), 1e-4) << name << " row " << i;
      }
    }
  }
}

TEST(Head, NanCountsAsTheMeanOfItsColumn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix rows(4, 2);
  rows.values = {1, 10, 3, 20, nan, 30, 5, 40};
  const Source source = present_everywhere(rows);
  const Block block = make_block(source, first_rows(4), 0);
  const Block* blocks[] = {&block};

  const Head head = fit_head(blocks, {{0, 0, 1, 1}, {1, 1, 1, 1}, 2}, {});

  EXPECT_EQ(head.parts[0].fill[0], 3);  // of 1, 3 and 5
  Matrix asked(2, 2);
  asked.values = {nan, 25, 3, 25};
  const Matrix logits = part_logits(head.parts[0], asked);
  EXPECT_EQ(logits.at(0, 0), logits.at(1, 0));
  EXPECT_EQ(logits.at(0, 1), logits.at(1, 1));
}

// What lies in the cells of an absent row must not leak into the fit.
TEST(Head, AbsentRowsDoNotCount) {
  const Json golden = read_golden("dropout.json");
  const auto labels = golden_labels(*golden.find("labels"));
  Source clean = present_everywhere(golden_matrix(*golden.find("first")));
  Source second = present_everywhere(golden_matrix(*golden.find("second")));
  for (std::size_t i = 0; i < labels.size(); i += 3) {
    clean.present[i] = false;
  }
  Source dirty = clean;
  for (std::size_t i = 0; i < labels.size(); i += 3) {
    dirty.rows.at(i, 0) = 1e6;
  }
  const HeadLabels rows{labels, std::vector<double>(labels.size(), 1), 3};
  const auto fit = [&](const Source& first) {
    const Block a = make_block(first, first_rows(labels.size()), 0);
    const Block b = make_block(second, first_rows(labels.size()), 0);
    const Block* blocks[] = {&a, &b};
    return fit_head(blocks, rows, {});
  };

  EXPECT_EQ(fit(clean).parts[0].weights.values, fit(dirty).parts[0].weights.values);
}

// Two parts say the same of easy classes. Without dropout each carries half of the evidence, so
// either alone is unsure; with it, either alone decides as well as both.
TEST(Head, DropoutTeachesThatPartsGoMissing) {
  Matrix rows(40, 1);
  std::vector<std::size_t> labels(40);
  for (std::size_t i = 0; i < 40; ++i) {
    labels[i] = i % 2;
    rows.at(i, 0) = (labels[i] == 0 ? -1 : 1) + 0.01 * static_cast<double>(i % 5);
  }
  const Source source = present_everywhere(rows);
  const Block block = make_block(source, first_rows(40), 0);
  const Block* blocks[] = {&block, &block};
  const HeadLabels training{labels, std::vector<double>(40, 1), 2};

  const Head with = fit_head(blocks, training, {.dropout = 0.5});
  const Head without = fit_head(blocks, training, {.dropout = 0});

  Matrix asked(1, 1);
  asked.values = {1};
  const double sure = probabilities(with, part_logits(with.parts[0], asked).row(0))[1];
  const double unsure = probabilities(without, part_logits(without.parts[0], asked).row(0))[1];
  EXPECT_GT(sure, unsure + 0.01);
}

}  // namespace
}  // namespace braid
