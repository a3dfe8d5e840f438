#include "tensor/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::HasSubstr;

const TensorSpec kImage{.name = "image", .shape = {-1, 3, 224, 224}};

TEST(TensorSpec, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(to_string(kImage), "image FP32 [-1, 3, 224, 224]");
}

TEST(TensorSpec, FitsWhereEachFixedExtentDoes) {
  const TensorSpec spec{.name = "x", .shape = {-1, 2}};
  const Tensor fitting = *Tensor::zeros(DType::kFp32, Shape{5, 2});
  EXPECT_TRUE(check_fits(spec, fitting.view()).has_value());
  for (const Shape& shape : {Shape{1, 3}, {2}, {1, 2, 1}}) {
    const Tensor tensor = *Tensor::zeros(DType::kFp32, shape);
    EXPECT_EQ(check_fits(spec, tensor.view()).error().code, Code::kInvalidArgument);
  }
  const Tensor doubles = *Tensor::zeros(DType::kFp64, Shape{1, 2});
  EXPECT_THAT(check_fits(spec, doubles.view()).error().describe(),
              HasSubstr("FP64 [1, 2] came, but x FP32 [-1, 2] is wanted"));
}

TEST(TensorSpec, AreCompatibleWhenSomeShapeSatisfiesBoth) {
  const auto of = [](std::vector<std::int64_t> shape, DType dtype = DType::kFp32) {
    return TensorSpec{.name = "x", .dtype = dtype, .shape = std::move(shape)};
  };
  EXPECT_TRUE(compatible(of({-1, 3}), of({1, -1})));
  EXPECT_FALSE(compatible(of({-1, 3}), of({-1, 4})));
  EXPECT_FALSE(compatible(of({-1, 3}), of({-1})));
  EXPECT_FALSE(compatible(of({-1}), of({-1}, DType::kInt64)));
}

}  // namespace
}  // namespace braid
