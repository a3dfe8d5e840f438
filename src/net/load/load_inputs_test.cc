#include "net/load/load_inputs.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

ServedModel model(std::vector<TensorSpec> inputs, const std::string& platform = "onnx") {
  return {.name = "m", .platform = platform, .inputs = std::move(inputs), .outputs = {}};
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  const auto span = tensor.values<T>();
  return {span.begin(), span.end()};
}

TEST(LoadInputs, MakesEveryTypeToFit) {
  std::vector<TensorSpec> specs;
  for (const char* dtype : {"BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32",
                            "INT64", "FP16", "BF16", "FP32", "FP64", "BYTES"}) {
    specs.push_back({.name = dtype, .dtype = *dtype_from(dtype), .shape = {-1, 7}});
  }
  const auto cases = *make_cases(model(specs), {.row_count = 3, .case_count = 2});
  ASSERT_EQ(cases.size(), 2U);
  ASSERT_EQ(cases[0].size(), specs.size());
  for (const NamedTensor& each : cases[0]) {
    EXPECT_EQ(each.tensor.shape(), (Shape{3, 7})) << each.name;
    EXPECT_EQ(to_string(each.tensor.dtype()), each.name);
  }
}

TEST(LoadInputs, FloatsSpreadEvenlyAndWholeNumbersAreZeroOrOne) {
  const auto served = model({{.name = "f", .dtype = DType::kFp32, .shape = {1, 20000}},
                             {.name = "i", .dtype = DType::kInt64, .shape = {1, 20000}}});
  const auto cases = *make_cases(served, {.case_count = 1});
  const auto floats = values<float>(cases[0][0].tensor);
  EXPECT_GE(std::ranges::min(floats), -1);
  EXPECT_LT(std::ranges::min(floats), -.99);
  EXPECT_LT(std::ranges::max(floats), 1);
  EXPECT_GT(std::ranges::max(floats), .99);
  double sum = 0;
  for (const float each : floats) {
    sum += each;
  }
  EXPECT_NEAR(sum / 20000, 0, 4 * .577 / 141);  // a deviation of 1 ÷ √3 over √20,000
  const auto integers = values<std::int64_t>(cases[0][1].tensor);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(integers, 1)), 10'000, 4 * 71);
  EXPECT_EQ(std::ranges::count(integers, 0) + std::ranges::count(integers, 1), 20'000);
}

// IEEE: 0x3800 is 0.5 as FP16, 0x3C00 is 1; 0x3F00 is 0.5 as BF16, 0x3F80 is 1.
TEST(LoadInputs, HalvesAreBetweenOneHalfAndOne) {
  const auto served = model({{.name = "h", .dtype = DType::kFp16, .shape = {1, 500}},
                             {.name = "b", .dtype = DType::kBf16, .shape = {1, 500}}});
  const auto cases = *make_cases(served, {.case_count = 1});
  for (const auto& [index, low, high] :
       {std::tuple(0U, 0x3800, 0x3C00), std::tuple(1U, 0x3F00, 0x3F80)}) {
    const auto bytes = cases[0][index].tensor.view().bytes;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      const int bits = (static_cast<int>(bytes[i + 1]) << 8 | static_cast<int>(bytes[i])) & 0x7FFF;
      EXPECT_GE(bits, low);
      EXPECT_LT(bits, high);
    }
  }
}

TEST(LoadInputs, CasesDifferAndTheSeedDecides) {
  const auto served = model({{.name = "x", .dtype = DType::kFp32, .shape = {-1, 4}}});
  const auto first = *make_cases(served, {.case_count = 2, .seed = 3});
  const auto again = *make_cases(served, {.case_count = 2, .seed = 3});
  EXPECT_EQ(values<float>(first[1][0].tensor), values<float>(again[1][0].tensor));
  EXPECT_NE(values<float>(first[0][0].tensor), values<float>(first[1][0].tensor));
  const auto zeros = *make_cases(served, {.case_count = 1, .zeros = true});
  EXPECT_EQ(values<float>(zeros[0][0].tensor), std::vector<float>(4));
}

TEST(LoadInputs, TakesShapesWhereAxesVary) {
  const auto served = model({{.name = "ids", .dtype = DType::kInt64, .shape = {-1, -1}}});
  EXPECT_EQ(make_cases(served, {}).error().message,
            "ids INT64 [-1, -1] has an axis that varies; give its size: --shape ids=1,…");
  const auto cases = *make_cases(served, {.shapes = {{"ids", {2, 128}}}, .case_count = 1});
  EXPECT_EQ(cases[0][0].tensor.shape(), (Shape{2, 128}));
}

TEST(LoadInputs, OwnInputsTakeTurns) {
  const auto served = model({{.name = "photo", .dtype = DType::kBytes, .shape = {-1}},
                             {.name = "title", .dtype = DType::kBytes, .shape = {-1}}},
                            "braid_pipeline");
  const auto cases = *make_cases(
      served, {.row_count = 2, .own = {{"photo", "p1"}, {"photo", "p2"}, {"title", "t"}}});
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_THAT(cases[0][0].tensor.strings(), testing::ElementsAre("p1", "p1"));
  EXPECT_THAT(cases[1][0].tensor.strings(), testing::ElementsAre("p2", "p2"));
  EXPECT_THAT(cases[1][1].tensor.strings(), testing::ElementsAre("t", "t"));
}

TEST(LoadInputs, OptionalInputsAreLeftOutUnlessGiven) {
  const auto served =
      model({{.name = "x", .dtype = DType::kFp32, .shape = {-1, 2}},
             {.name = "y", .dtype = DType::kFp32, .shape = {-1, 2}, .optional = true}});
  EXPECT_EQ((*make_cases(served, {.case_count = 1}))[0].size(), 1U);
  EXPECT_EQ((*make_cases(served, {.shapes = {{"y", {1, 2}}}, .case_count = 1}))[0].size(), 2U);
}

TEST(LoadInputs, OwnNumbersAreRawBytes) {
  const auto served = model({{.name = "x", .dtype = DType::kFp32, .shape = {-1, 2}}});
  const std::string one_and_two("\0\0\x80\x3f\0\0\0\x40", 8);  // IEEE 754, little endian
  const auto cases = *make_cases(served, {.own = {{"x", one_and_two}}});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(values<float>(cases[0][0].tensor), (std::vector<float>{1, 2}));
  EXPECT_EQ(make_cases(served, {.own = {{"x", "abc"}}}).error().describe(),
            "input 'x': 3 bytes, but FP32 of shape [1, 2] has 8; raw little-endian numbers are "
            "wanted");
}

TEST(LoadInputs, RefusesWhatCannotBe) {
  const auto served =
      model({{.name = "title", .dtype = DType::kBytes, .shape = {-1}}}, "braid_pipeline");
  EXPECT_THAT(make_cases(served, {}).error().message,
              testing::HasSubstr("give at least one, such as --input title=@FILE"));
  EXPECT_THAT(make_cases(served, {.own = {{"tilte", "x"}}}).error().message,
              testing::HasSubstr("did you mean 'title'?"));
  EXPECT_THAT(
      make_cases(served, {.shapes = {{"photo", {1}}}, .own = {{"title", "x"}}}).error().message,
      testing::HasSubstr("no such input"));
  const auto huge = model({{.name = "x", .dtype = DType::kFp32, .shape = {-1, 1 << 30}}});
  EXPECT_EQ(make_cases(huge, {}).error().code, Code::kExhausted);
  const auto many = model({{.name = "x", .dtype = DType::kBytes, .shape = {1 << 30}}});
  EXPECT_EQ(make_cases(many, {}).error().code, Code::kExhausted);
  EXPECT_EQ(make_cases(huge, {.row_count = 0}).error().code, Code::kInvalidArgument);
}

TEST(LoadInputs, ReadsShapeOptions) {
  EXPECT_EQ(*parse_shape_option("x=1,3,224"), std::pair(std::string("x"), (Shape{1, 3, 224})));
  for (const char* wrong : {"", "x", "=1", "x=", "x=1,", "x=0", "x=-1", "x=a", "x=1;2"}) {
    EXPECT_EQ(parse_shape_option(wrong).error().code, Code::kInvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace braid
