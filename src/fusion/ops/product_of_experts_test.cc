#include <gtest/gtest.h>

#include "fusion/op_fixture.h"

namespace braid {
namespace {

// By hand, row 0: 0.8 · 0.6 = 0.48 and 0.2 · 0.4 = 0.08, so 6/7 and 1/7.
// Row 1: 0.5 · 0.3 = 0.15 and 0.5 · 0.7 = 0.35, so 3/10 and 7/10: an even part changes nothing.
TEST(ProductOfExperts, MultipliesAndNormalisesEachRow) {
  const auto op = *make_op("product_of_experts", op_setup("{}"));
  const TestPart image("image", {2, 2}, {0.8F, 0.2F, 0.5F, 0.5F});
  const TestPart note("note", {2, 2}, {0.6F, 0.4F, 0.3F, 0.7F});

  const std::vector<float> actual =
      probabilities_of(*op, {image.said(), note.said(), absent("record")});

  const double expected[] = {6.0 / 7, 1.0 / 7, 0.3, 0.7};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-6);
  }
}

// Bayes by hand: the prior 0.9, 0.1 is in both parts and counts once.
// 0.95 · 0.9 / 0.9 = 0.95 and 0.05 · 0.1 / 0.1 = 0.05, so the second part, which only repeats the
// prior, changes nothing. Uncorrected: 0.855 and 0.005, so 0.9942.
TEST(ProductOfExperts, CountsThePriorOnce) {
  const TestPart image("image", {0.95F, 0.05F});
  const TestPart note("note", {0.9F, 0.1F});
  const std::vector<Part> parts = {image.said(), note.said()};

  const auto op = *make_op("product_of_experts", op_setup("{}", "null", {0.9, 0.1}));
  EXPECT_NEAR(probabilities_of(*op, parts)[0], 0.95, 1e-6);

  const auto raw = *make_op("product_of_experts", op_setup("{prior: false}", "null", {0.9, 0.1}));
  EXPECT_NEAR(probabilities_of(*raw, parts)[0], 0.855 / 0.860, 1e-6);
}

TEST(ProductOfExperts, LeavesALonePartAsItIs) {
  const auto op = *make_op("product_of_experts", op_setup("{}", "null", {0.9, 0.1}));
  const TestPart image("image", {0.3F, 0.7F});
  EXPECT_NEAR(probabilities_of(*op, {image.said()})[0], 0.3, 1e-6);
}

TEST(ProductOfExperts, IsUndecidedBetweenTwoThatExcludeEachOther) {
  const auto op = *make_op("product_of_experts", op_setup("{}"));
  const TestPart image("image", {1, 0});
  const TestPart note("note", {0, 1});
  EXPECT_NEAR(probabilities_of(*op, {image.said(), note.said()})[0], 0.5, 1e-6);
}

// 0.25^100 is 6e-61, far below the smallest FP32 number; the true answer is again 0.25.
TEST(ProductOfExperts, SurvivesAHundredParts) {
  const auto op = *make_op("product_of_experts", op_setup("{}"));
  const TestPart even("sensor", {0.25F, 0.25F, 0.25F, 0.25F});
  EXPECT_NEAR(probabilities_of(*op, std::vector<Part>(100, even.said()))[3], 0.25, 1e-6);
}

TEST(ProductOfExperts, RefusesAPriorOfOtherClasses) {
  const auto made = make_op("product_of_experts", op_setup("{}", "null", {0.5, 0.3, 0.2}));
  EXPECT_EQ(made.error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace braid
