#include "tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// In 64 bits 2^63 · 2 is 0, so a product would let the last shape pass for that of no values.
TEST(Tensor, RefusesAShapeThatDoesNotDescribeItsValues) {
  EXPECT_TRUE(Tensor::from(Shape{1, 2}, std::vector<float>{0.5F, 0.5F}).has_value());
  for (const Shape& shape : {Shape{}, {0}, {3}, {2, 2}, {2, 0}}) {
    EXPECT_EQ(Tensor::from(shape, std::vector<float>{0.5F, 0.5F}).error().code,
              Code::kInvalidArgument);
  }
  EXPECT_FALSE(Tensor::from(Shape{std::size_t{1} << 63, 2}, std::vector<float>{}).has_value());
  EXPECT_FALSE(Tensor::from_strings(Shape{2}, {"one"}).has_value());
}

TEST(Tensor, KeepsDtypeShapeAndValues) {
  const Tensor tensor = *Tensor::from(Shape{2, 2}, std::vector<std::int64_t>{1, -2, 3, 4});
  EXPECT_EQ(tensor.dtype(), DType::kInt64);
  EXPECT_EQ(tensor.row_count(), 2U);
  EXPECT_EQ(tensor.size_bytes(), 32U);
  EXPECT_THAT(tensor.values<std::int64_t>(), ElementsAre(1, -2, 3, 4));
}

TEST(Tensor, ReadsPackedLittleEndianBytes) {
  const unsigned char bytes[] = {0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0};  // 1, -2
  const auto tensor = Tensor::from_bytes(DType::kFp32, Shape{2}, std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(tensor.has_value());
  EXPECT_THAT(tensor->values<float>(), ElementsAre(1.0F, -2.0F));
  EXPECT_THAT(Tensor::from_bytes(DType::kFp64, Shape{2}, std::as_bytes(std::span(bytes)))
                  .error()
                  .describe(),
              HasSubstr("16 bytes, but 8 came"));
}

TEST(Tensor, AClonesNumbersAreItsOwn) {
  Tensor first = *Tensor::zeros(DType::kFp32, Shape{1, 2});
  const Tensor second = first.clone();
  first.mutable_values<float>()[0] = 7;
  EXPECT_EQ(second.values<float>()[0], 0);
  const Tensor strings = *Tensor::from_strings(Shape{2}, {"a", std::string("b\0", 2)});
  EXPECT_EQ(strings.clone().strings()[1].size(), 2U);
}

TEST(TensorDeathTest, ReadingAnotherTypeIsABrokenPromise) {
  const Tensor tensor = *Tensor::zeros(DType::kFp32, Shape{1});
  EXPECT_DEATH(static_cast<void>(tensor.values<double>()), "broken promise");
}

// The Open Inference Protocol's names and sizes.
TEST(DType, NamesAndSizesAreTheProtocols) {
  const std::pair<const char*, std::size_t> types[] = {
      {"BOOL", 1}, {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8},
      {"INT8", 1}, {"INT16", 2}, {"INT32", 4},  {"INT64", 8},  {"FP16", 2},
      {"BF16", 2}, {"FP32", 4},  {"FP64", 8},   {"BYTES", 0}};
  for (const auto& [name, size] : types) {
    const auto dtype = dtype_from(name);
    ASSERT_TRUE(dtype.has_value()) << name;
    EXPECT_STREQ(to_string(*dtype), name);
    EXPECT_EQ(element_size(*dtype), size) << name;
  }
  EXPECT_THAT(dtype_from("float32").error().describe(), HasSubstr("FP32"));
}

TEST(NamedTensors, AreFoundByName) {
  NamedTensors tensors;
  tensors.push_back({"x", *Tensor::zeros(DType::kFp32, Shape{1})});
  EXPECT_EQ(find_tensor(tensors, "x"), &tensors[0].tensor);
  EXPECT_EQ(find_tensor(tensors, "y"), nullptr);
}

}  // namespace
}  // namespace braid
