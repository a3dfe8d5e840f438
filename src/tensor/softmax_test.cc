#include "tensor/softmax.h"

#include <limits>

#include <gtest/gtest.h>

namespace braid {
namespace {

// SciPy: softmax([1, 2, 3]) = [0.09003057, 0.24472847, 0.66524096].
TEST(Softmax, IsScipys) {
  std::vector<float> row = {1, 2, 3};
  softmax(row);
  EXPECT_NEAR(row[0], 0.09003057, 1e-7);
  EXPECT_NEAR(row[1], 0.24472847, 1e-7);
  EXPECT_NEAR(row[2], 0.66524096, 1e-7);
}

// exp(1000) overflows, exp(-1000) of all would leave a sum of 0.
TEST(Softmax, HoldsForLogitsOfAnySize) {
  for (const float offset : {1000.0F, -1000.0F}) {
    std::vector<float> row = {offset, offset};
    softmax(row);
    EXPECT_EQ(row[0], 0.5F);
  }
  std::vector<float> row = {-std::numeric_limits<float>::infinity(), 0};
  softmax(row);
  EXPECT_EQ(row[0], 0);
  EXPECT_EQ(row[1], 1);
}

// By hand: (¾, ¼) has ¾·ln(4/3) + ¼·ln 4 = 0.56234 nats; ÷ ln 2 = 0.81128.
TEST(NormalisedEntropy, IsBetweenCertainAndEqual) {
  EXPECT_NEAR(normalised_entropy(std::vector<float>{0.75F, 0.25F}), 0.81128, 1e-5);
  EXPECT_EQ(normalised_entropy(std::vector<float>{0, 1}), 0);
  EXPECT_NEAR(normalised_entropy(std::vector<float>(12, 1 / 12.0F)), 1, 1e-6);
  EXPECT_EQ(normalised_entropy(std::vector<float>{1}), 0);
}

// ln(1e-6) = -13.8155.
TEST(FlooredLog, BoundsWhatOneZeroCosts) {
  EXPECT_NEAR(floored_log(0), -13.8155, 1e-4);
  EXPECT_NEAR(floored_log(0.5F), -0.693147, 1e-6);
}

TEST(Argmax, TakesTheFirstOfEquals) {
  EXPECT_EQ(argmax(std::vector<float>{1, 3, 3}), 1U);
  EXPECT_EQ(argmax(std::vector<float>{2}), 0U);
}

}  // namespace
}  // namespace braid
