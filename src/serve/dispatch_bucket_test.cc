#include "serve/dispatch_bucket.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

NamedTensors inputs(const std::string& name, const Shape& shape, DType dtype = DType::kFp32) {
  NamedTensors tensors;
  tensors.push_back({name, *Tensor::zeros(dtype, shape)});
  return tensors;
}

TEST(DispatchBucket, HoldsAnyNumberOfRows) {
  const NamedTensors one = inputs("image", {1, 3, 8});
  const NamedTensors many = inputs("image", {5, 3, 8});
  EXPECT_TRUE(DispatchBucket(one).holds(many));
  EXPECT_EQ(DispatchBucket::hash(one), DispatchBucket::hash(many));
}

TEST(DispatchBucket, KeepsApartWhatCannotBeJoined) {
  const DispatchBucket bucket(inputs("image", {1, 3, 8}));
  EXPECT_FALSE(bucket.holds(inputs("image", {1, 3, 9})));
  EXPECT_FALSE(bucket.holds(inputs("image", {1, 3})));
  EXPECT_FALSE(bucket.holds(inputs("image", {1, 3, 8}, DType::kInt32)));
  EXPECT_FALSE(bucket.holds(inputs("mask", {1, 3, 8})));
}

TEST(DispatchBucket, KeepsApartWhoHasAnOptionalInputMore) {
  NamedTensors more = inputs("image", {1, 3, 8});
  more.push_back({"mask", *Tensor::zeros(DType::kBool, Shape{1, 8})});
  EXPECT_FALSE(DispatchBucket(inputs("image", {1, 3, 8})).holds(more));
  EXPECT_FALSE(DispatchBucket(more).holds(inputs("image", {1, 3, 8})));
}

TEST(DispatchBucket, HoldsRowsOfNearLengthsWhereTheyMayBePadded) {
  const Padding padding{"mask", {"ids", "mask"}, {}};
  const auto text = [](std::size_t length) {
    NamedTensors tensors = inputs("ids", {1, length}, DType::kInt64);
    tensors.push_back({"mask", *Tensor::zeros(DType::kInt64, Shape{1, length})});
    return tensors;
  };
  const DispatchBucket bucket(text(20), padding);
  EXPECT_TRUE(bucket.holds(text(32), padding));
  EXPECT_EQ(DispatchBucket::hash(text(20), padding), DispatchBucket::hash(text(17), padding));
  EXPECT_FALSE(bucket.holds(text(33), padding));
  EXPECT_FALSE(bucket.holds(text(16), padding));
  EXPECT_FALSE(DispatchBucket(text(20)).holds(text(21)));
}

}  // namespace
}  // namespace braid
