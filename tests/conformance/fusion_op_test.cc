// What fusion/fusion_op.h promises, tried on every registered operator: a new file in
// src/fusion/ops/ is tested here before anyone writes a test of its own. An operator that needs
// fitted parameters brings tests/data/fusion/<name>.json: its entry of fitted.json for three inputs
// 'image', 'note' and 'record' and three classes 'a', 'b' and 'c'.

#include "fusion/fusion_op.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include <gtest/gtest.h>

namespace braid {
namespace {

using Values = std::vector<float>;

Registry<FusionOp> all_ops() {
  Registry<FusionOp> registry("fusion operator");
  register_fusion_ops(registry);
  return registry;
}

Json fitted_for(const std::string& op) {
  std::ifstream file("tests/data/fusion/" + op + ".json");
  if (!file) {
    return {};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return *Json::parse(text);
}

std::unique_ptr<FusionOp> open(const std::string& op) {
  const FusionSetup setup{.settings = *Settings::parse("{}"),
                          .inputs = {{"image", 2}, {"note", 3}, {"record", 1}},
                          .classes = {"a", "b", "c"},
                          .fitted = fitted_for(op),
                          .prior = {0.5, 0.3, 0.2}};
  auto made = all_ops().make(op, setup);
  EXPECT_TRUE(made.has_value()) << made.error().describe();
  return *std::move(made);
}

class EveryFusionOp : public testing::TestWithParam<std::string> {
 protected:
  static Part part(const char* name, const Tensor& probabilities, const Tensor& embedding) {
    return {name, Said{probabilities.view(), embedding.view()}};
  }
  Part image() const { return part("image", image_, image_embedding_); }
  Part note() const { return part("note", note_, note_embedding_); }
  Part record() const { return part("record", record_, record_embedding_); }
  std::vector<Part> all() const { return {image(), note(), record()}; }

  Result<Opinion> combine(std::span<const Part> parts) const { return op_->combine(parts); }

  /// All numbers of the opinion, row by row, whichever kinds it has.
  Values combined(std::span<const Part> parts) const {
    Values values;
    const Opinion opinion = *combine(parts);
    const std::size_t row_count =
        (opinion.probabilities ? *opinion.probabilities : *opinion.embedding).row_count();
    for (std::size_t row = 0; row < row_count; ++row) {
      for (const auto& tensor : {&opinion.probabilities, &opinion.embedding}) {
        if (tensor->has_value()) {
          const std::size_t width = (*tensor)->shape()[1];
          std::ranges::copy((*tensor)->values<float>().subspan(row * width, width),
                            std::back_inserter(values));
        }
      }
    }
    return values;
  }

  void expect_near(const Values& actual, const Values& expected) const {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], 1e-6);
    }
  }

  const std::unique_ptr<FusionOp> op_ = open(GetParam());
  // Two rows of three classes, the second with certainties: there operators go wrong.
  const Tensor image_ = *Tensor::from(Shape{2, 3}, Values{0.7F, 0.2F, 0.1F, 1, 0, 0});
  const Tensor note_ = *Tensor::from(Shape{2, 3}, Values{0.1F, 0.3F, 0.6F, 0, 0, 1});
  const Tensor record_ = *Tensor::from(Shape{2, 3}, Values{0.2F, 0.5F, 0.3F, 0.4F, 0.3F, 0.3F});
  const Tensor image_embedding_ = *Tensor::from(Shape{2, 2}, Values{1, -2, 3, -4});
  const Tensor note_embedding_ = *Tensor::from(Shape{2, 3}, Values{.1F, .2F, .3F, .4F, .5F, .6F});
  const Tensor record_embedding_ = *Tensor::from(Shape{2, 1}, Values{7, 8});
};

TEST_P(EveryFusionOp, SaysSomethingForEachRow) {
  const Opinion opinion = *combine(all());
  EXPECT_TRUE(opinion.probabilities.has_value() || opinion.embedding.has_value());
  for (const auto& tensor : {&opinion.probabilities, &opinion.embedding}) {
    EXPECT_TRUE(!tensor->has_value() || (*tensor)->row_count() == 2);
  }
}

TEST_P(EveryFusionOp, GivesTheSameAnswerTwice) { EXPECT_EQ(combined(all()), combined(all())); }

TEST_P(EveryFusionOp, GivesRowsOfProbabilities) {
  const Opinion opinion = *combine(all());
  if (!opinion.probabilities.has_value()) {
    GTEST_SKIP() << "it gives none";
  }
  const std::span<const float> rows = opinion.probabilities->values<float>();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_GE(std::ranges::min(rows), 0);
  EXPECT_NEAR(std::accumulate(rows.begin(), rows.begin() + 3, 0.0), 1, 1e-5);
  EXPECT_NEAR(std::accumulate(rows.begin() + 3, rows.end(), 0.0), 1, 1e-5);
}

TEST_P(EveryFusionOp, GivesARowWhatItGivesItAlone) {
  const Tensor first = *Tensor::from(Shape{1, 3}, Values{0.7F, 0.2F, 0.1F});
  const Tensor first_embedding = *Tensor::from(Shape{1, 2}, Values{1, -2});
  const Part alone[] = {part("image", first, first_embedding)};
  const Part together[] = {image()};
  const Values one = combined(alone);
  Values two = combined(together);
  two.resize(one.size());
  expect_near(two, one);
}

TEST_P(EveryFusionOp, DoesNotMindTheOrderOfParts) {
  const std::vector<Part> parts = all();
  const std::vector<Part> reversed(parts.rbegin(), parts.rend());
  expect_near(combined(reversed), combined(parts));
}

TEST_P(EveryFusionOp, CountsAbsentPartsAsNotListed) {
  const Part listed[] = {image(), {"note", Absent{"lost"}}, record()};
  const Part not_listed[] = {image(), record()};
  EXPECT_EQ(combined(listed), combined(not_listed));
}

TEST_P(EveryFusionOp, AnswersForEachPartAlone) {
  for (const Part& each : all()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(combine({&each, 1}).has_value());
  }
}

TEST_P(EveryFusionOp, SaysWhyNobodyIsPresent) {
  const Part absent[] = {{"note", Absent{"lost"}}};
  EXPECT_EQ(combine({}).error().code, Code::kUnavailable);
  EXPECT_EQ(combine(absent).error().code, Code::kUnavailable);
  EXPECT_NE(combine(absent).error().message.find("'note': lost"), std::string::npos);
}

TEST_P(EveryFusionOp, RefusesUnequalShapes) {
  const Tensor odd = *Tensor::from(Shape{2, 5}, Values{1, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  const Part parts[] = {image(), part("note", odd, odd)};
  EXPECT_EQ(combine(parts).error().code, Code::kInvalidArgument);
}

TEST_P(EveryFusionOp, RefusesPartsWithNothingToJoin) {
  const Part parts[] = {image(), {"note", Said{}}};
  EXPECT_EQ(combine(parts).error().code, Code::kInvalidArgument);
}

TEST_P(EveryFusionOp, RefusesASettingThatItDoesNotKnow) {
  const FusionSetup setup{.settings = *Settings::parse("{no_such_key: 1}"),
                          .inputs = {{"image", 2}, {"note", 3}, {"record", 1}},
                          .classes = {"a", "b", "c"},
                          .fitted = fitted_for(GetParam())};
  const auto made = all_ops().make(GetParam(), setup);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("no_such_key"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryFusionOp, testing::ValuesIn(all_ops().names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace braid
