#include "model/padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace braid {
namespace {

using testing::ElementsAre;

ModelSpec bert() {
  ModelSpec spec;
  spec.rows_max = 32;
  spec.inputs = {{"input_ids", DType::kInt64, {-1, -1}},
                 {"attention_mask", DType::kInt64, {-1, -1}},
                 {"style", DType::kFp32, {-1, 4}}};
  spec.outputs = {{"tokens", DType::kFp32, {-1, -1, 384}}, {"embedding", DType::kFp32, {-1, 384}}};
  return spec;
}

ModelConfig with_mask(const char* name) {
  ModelConfig config;
  config.parameters["padding_mask"] = name;
  return config;
}

TEST(Padding, FindsTheMaskAndAllThatHasTheLength) {
  const Padding padding = padding_of(bert(), {});
  EXPECT_EQ(padding.mask, "attention_mask");
  EXPECT_THAT(padding.inputs, ElementsAre("input_ids", "attention_mask"));
  EXPECT_THAT(padding.outputs, ElementsAre("tokens"));
}

TEST(Padding, NeedsAMaskAndABatchAxis) {
  ModelSpec spec = bert();
  spec.rows_max = 0;
  EXPECT_FALSE(padding_of(spec, {}).allowed());
  spec = bert();
  spec.inputs[1].name = "mask";
  EXPECT_FALSE(padding_of(spec, {}).allowed());
  EXPECT_TRUE(padding_of(spec, with_mask("mask")).allowed());
  EXPECT_FALSE(padding_of(bert(), with_mask("none")).allowed());
  spec = bert();
  spec.inputs[1].shape = {-1, 128};
  EXPECT_FALSE(padding_of(spec, {}).allowed());
}

TEST(Padding, TakesTheLengthWhereAllAgree) {
  const Padding padding = padding_of(bert(), {});
  NamedTensors inputs;
  inputs.push_back({"input_ids", *Tensor::zeros(DType::kInt64, Shape{1, 7})});
  inputs.push_back({"style", *Tensor::zeros(DType::kFp32, Shape{1, 4})});
  inputs.push_back({"attention_mask", *Tensor::zeros(DType::kInt64, Shape{1, 7})});
  EXPECT_EQ(padded_length(padding, inputs), 7U);
  inputs[2].tensor = *Tensor::zeros(DType::kInt64, Shape{1, 8});
  EXPECT_EQ(padded_length(padding, inputs), 0U);
}

TEST(Padding, WastesAtMost15PositionsOrAnEighth) {
  for (std::size_t length = 1; length < 5000; ++length) {
    const std::size_t bucket = bucket_length(length);
    EXPECT_GE(bucket, length);
    EXPECT_LE(bucket - length, std::max<std::size_t>(15, length / 8)) << length;
    EXPECT_EQ(bucket_length(bucket), bucket);
  }
}

}  // namespace
}  // namespace braid
