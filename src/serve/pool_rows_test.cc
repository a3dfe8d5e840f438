// Rows that become one, and the batch that one request is. All by hand.

#include "serve/pool_rows.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/variant_batch.h"

namespace braid {
namespace {

using testing::ElementsAre;

Tensor rows_of_two(const std::vector<float>& values) {
  return *Tensor::from(Shape{values.size() / 2, 2}, values);
}

TEST(PoolRows, GivesEachColumnsMeanOrMaximum) {
  const Tensor rows = rows_of_two({1, -2, 4, -8, 1, -5});
  EXPECT_EQ(pool_rows(rows, Pool::kMean).shape(), (Shape{1, 2}));
  EXPECT_THAT(pool_rows(rows, Pool::kMean).values<float>(), ElementsAre(2, -5));
  EXPECT_THAT(pool_rows(rows, Pool::kMax).values<float>(), ElementsAre(4, -2));
}

TEST(PoolRows, ProbabilitiesSumToOneAgain) {
  const Tensor rows = rows_of_two({0.75F, 0.25F, 0.25F, 0.75F, 0.5F, 0.5F});
  EXPECT_THAT(pool_probabilities(rows, Pool::kMean).values<float>(), ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(pool_probabilities(rows, Pool::kMax).values<float>(), ElementsAre(0.5F, 0.5F));
  const Tensor sure = rows_of_two({0.75F, 0.25F, 0.5F, 0.25F});
  EXPECT_THAT(pool_probabilities(sure, Pool::kMax).values<float>(), ElementsAre(0.75F, 0.25F));
}

// A number that is none must not hide behind a larger one.
TEST(PoolRows, KeepsNaN) {
  for (const Pool pool : {Pool::kMean, Pool::kMax}) {
    EXPECT_TRUE(std::isnan(pool_rows(rows_of_two({1, 2, NAN, 3, 5, 4}), pool).values<float>()[0]));
    EXPECT_FALSE(std::isnan(pool_rows(rows_of_two({1, 2, NAN, 3}), pool).values<float>()[1]));
  }
}

class VariantBatch : public testing::Test {
 protected:
  Result<Batch> batch(std::vector<float> words, std::vector<float> record) {
    inputs_[0].tensors.clear();
    inputs_[1].tensors.clear();
    inputs_[0].tensors.push_back({"words", *Tensor::from(Shape{words.size(), 1}, words)});
    inputs_[1].tensors.push_back({"record", *Tensor::from(Shape{record.size(), 1}, record)});
    Variant variant{.config = {.name = "both",
                               .model = {},
                               .identity = {},
                               .space = {},
                               .inputs = {},
                               .outputs = {},
                               .feeds = {},
                               .pool = Pool::kMean,
                               .yaml = Settings::parse("{}", ".")->yaml()}};
    variant.feeds = {{"text", 0, 0}, {"age", 1, 0}};
    const std::vector<const Encoded*> encoded = {&inputs_[0], &inputs_[1]};
    return variant_batch(variant, encoded);
  }

  Encoded inputs_[2];
};

TEST_F(VariantBatch, RepeatsOneRowBesideSeveral) {
  const Batch several = *batch({1, 2, 3}, {7});
  EXPECT_EQ(several.row_count, 3U);
  EXPECT_THAT(several.inputs[0].tensor.values<float>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(several.inputs[1].tensor.values<float>(), ElementsAre(7, 7, 7));
  const Batch one = *batch({1}, {7});
  EXPECT_EQ(one.row_count, 1U);
  EXPECT_THAT(one.inputs[1].tensor.values<float>(), ElementsAre(7));
}

TEST_F(VariantBatch, RefusesTwoNumbersOfRows) {
  const auto refused = batch({1, 2, 3}, {7, 8});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_THAT(refused.error().describe(), testing::HasSubstr("2 rows as 'age' and 3"));
}

}  // namespace
}  // namespace braid
