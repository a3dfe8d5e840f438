#include "net/model_infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/infer_raw.h"

namespace braid {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

Tensor zeros(Shape shape, DType dtype = DType::kFp32) { return *Tensor::zeros(dtype, shape); }

/// Two inputs of a batch, one that may be left out.
ModelSpec batched() {
  ModelSpec spec;
  spec.inputs = {{"a", DType::kFp32, {-1, 4}}, {"b", DType::kInt64, {-1}, true}};
  spec.rows_max = 8;
  return spec;
}

template <typename... Pairs>
NamedTensors named(Pairs... pairs) {
  NamedTensors list;
  (list.push_back({pairs.first, std::move(pairs.second)}), ...);
  return list;
}
using Pair = std::pair<std::string, Tensor>;

TEST(CheckInputs, TellsTheRows) {
  EXPECT_EQ(*check_inputs(batched(), named(Pair("a", zeros({3, 4})))), 3U);
  EXPECT_EQ(*check_inputs(batched(),
                          named(Pair("b", zeros({20}, DType::kInt64)), Pair("a", zeros({20, 4})))),
            20U);
  ModelSpec whole = batched();
  whole.rows_max = 0;  // no batch axis: the first extents need not agree
  EXPECT_EQ(
      *check_inputs(whole, named(Pair("a", zeros({3, 4})), Pair("b", zeros({7}, DType::kInt64)))),
      1U);
}

TEST(CheckInputs, RefusesInWords) {
  const auto says = [](NamedTensors list) {
    const auto rows = check_inputs(batched(), list);
    return rows.has_value() ? "accepted" : rows.error().describe();
  };
  EXPECT_THAT(says(named(Pair("c", zeros({1})))), HasSubstr("no input 'c'; the model takes: a, b"));
  // One missing and one optional present: the right count, and still wrong.
  EXPECT_THAT(says(named(Pair("b", zeros({1}, DType::kInt64)))),
              HasSubstr("input 'a' is missing: a FP32 [-1, 4]"));
  EXPECT_THAT(says(named(Pair("a", zeros({1, 3})))), HasSubstr("input 'a': FP32 [1, 3] came"));
  EXPECT_THAT(says(named(Pair("a", zeros({4})))), HasSubstr("input 'a': FP32 [4] came"));
  EXPECT_THAT(says(named(Pair("a", zeros({1, 4}, DType::kInt32)))), HasSubstr("INT32 [1, 4] came"));
  EXPECT_THAT(says(named(Pair("a", zeros({2, 4})), Pair("b", zeros({3}, DType::kInt64)))),
              HasSubstr("input 'a' has 2 rows, input 'b' has 3"));
}

TEST(CheckRowCount, HoldsAClientToWhatTheConfigStates) {
  EXPECT_TRUE(check_row_count(8, 8).has_value());
  EXPECT_THAT(check_row_count(8, 9).error().describe(),
              HasSubstr("9 rows came; the model takes at most 8"));
  EXPECT_TRUE(check_row_count(std::nullopt, 9).has_value());  // none stated: split
  EXPECT_TRUE(check_row_count(0, 9).has_value());             // no batch axis
}

ModelSpec one_input(DType dtype, std::vector<std::int64_t> shape, std::size_t rows_max) {
  ModelSpec spec;
  spec.inputs = {{"x", dtype, std::move(shape)}};
  spec.rows_max = rows_max;
  return spec;
}

TEST(RawRequest, TellsTheShapeFromTheSize) {
  const auto shape = [](const ModelSpec& spec, const std::string& body) {
    return raw_request(spec, body)->inputs[0].tensor.shape();
  };
  EXPECT_EQ(shape(one_input(DType::kFp32, {-1, -1}, 8), std::string(20, '\0')), (Shape{1, 5}));
  EXPECT_EQ(shape(one_input(DType::kFp32, {-1, 2, 3}, 8), std::string(24, '\0')), (Shape{1, 2, 3}));
  EXPECT_EQ(shape(one_input(DType::kInt16, {-1, 2}, 0), std::string(12, '\0')), (Shape{3, 2}));
  const auto text = raw_request(one_input(DType::kBytes, {-1}, 8), "a\0b"s);
  EXPECT_EQ(text->inputs[0].tensor.strings()[0], "a\0b"s);
  EXPECT_TRUE(text->binary_output);
}

TEST(RawRequest, RefusesInWords) {
  const auto says = [](const ModelSpec& spec, const std::string& body) {
    const auto request = raw_request(spec, body);
    return request.has_value() ? "accepted" : request.error().describe();
  };
  EXPECT_THAT(says(one_input(DType::kFp32, {-1, 16}, 8), std::string(63, '\0')),
              HasSubstr("is 64 bytes, but 63 came"));
  EXPECT_THAT(says(one_input(DType::kFp32, {-1, 16}, 8), ""), HasSubstr("0 bytes do not fit"));
  EXPECT_THAT(says(one_input(DType::kFp32, {-1, -1}, 8), "1234567"),
              HasSubstr("7 bytes do not fit"));
  EXPECT_THAT(says(one_input(DType::kFp32, {-1, -1}, 0), "1234"),
              HasSubstr("more than one variable axis"));
  EXPECT_THAT(says(batched(), "1234"), HasSubstr("2 inputs, and this is for one"));
}

}  // namespace
}  // namespace braid
