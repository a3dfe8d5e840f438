#include "learn/op_fit.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

NodeConfig node(const std::string& op, const std::string& settings) {
  return {"decision", op, {}, {"a", "b"}, *Settings::parse(settings)};
}

Member member(std::vector<double> probabilities, std::vector<bool> present) {
  Member result{Matrix(present.size(), 2), std::move(present)};
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    result.log_probabilities.values[i] = std::log(probabilities[i]);
  }
  return result;
}

FitData data_of(std::vector<std::size_t> labels) {
  FitData data;
  data.classes = {"no", "yes"};
  data.prior = {0.5, 0.5};
  data.weights.assign(labels.size(), 1);
  data.labels = std::move(labels);
  return data;
}

class OpFitTest : public testing::Test {
 protected:
  OpFitTest() { register_fusion_ops(fusion_ops_); }

  Registry<FusionOp> fusion_ops_{"fusion operator"};
  const std::vector<Member> members_ = {
      member({0.8, 0.2, 0.3, 0.7, 0.6, 0.4, 0.1, 0.9}, {true, true, true, true}),
      member({0.6, 0.4, 0.4, 0.6, 0.5, 0.5, 0.5, 0.5}, {true, true, false, true})};
  const FitData data_ = data_of({0, 1, 0, 1});
  const std::vector<std::size_t> rows_ = {0, 1, 2, 3};
};

// Given weights 1 and ½, by hand: row 0 has odds 0.8 / 0.2 · √(0.6 / 0.4) = 4.899. In row 2 only a
// is there, and `restore` 0.5 gives back √(1.5 / 1) of its weight: odds (0.6 / 0.4)^1.2247 = 1.643.
TEST_F(OpFitTest, AsksTheOperatorThatServes) {
  const NodeConfig vote = node("weighted_vote", "{weights: {a: 1, b: 0.5}}");
  Member said{Matrix(4, 2), std::vector<bool>(4)};

  const auto applied = apply_op(vote, Json(Json::Map{}), fusion_ops_, members_, data_, rows_, said);

  ASSERT_TRUE(applied.has_value()) << applied.error().describe();
  const auto odds = [&said](std::size_t i) {
    return std::exp(said.log_probabilities.at(i, 0) - said.log_probabilities.at(i, 1));
  };
  EXPECT_NEAR(odds(0), 4.899, 1e-3);
  EXPECT_NEAR(odds(2), 1.643, 1e-3);
  EXPECT_TRUE(said.present[2]);
}

TEST_F(OpFitTest, AMemberThatIsNeverPresentWeighsNothing) {
  std::vector<Member> members = members_;
  members[1].present.assign(4, false);

  const Json entry = fit_op(node("weighted_vote", "{}"), members, data_, rows_);

  EXPECT_GT(entry.find("weights")->find("a")->number(), 0);
  EXPECT_EQ(entry.find("weights")->find("b")->number(), 0);
}

TEST_F(OpFitTest, RowsOfWhichNobodySpeaksStayAbsent) {
  std::vector<Member> members = members_;
  members[0].present[2] = false;
  Member said{Matrix(4, 2), std::vector<bool>(4)};

  ASSERT_TRUE(
      apply_op(node("mean", "{}"), Json(Json::Map{}), fusion_ops_, members, data_, rows_, said)
          .has_value());

  EXPECT_THAT(said.present, testing::ElementsAre(true, true, false, true));
}

TEST_F(OpFitTest, StackingGivesWhatItsOperatorReads) {
  const NodeConfig stacking = node("stacking", "{}");
  const Json entry = fit_op(stacking, members_, data_, rows_);
  Member said{Matrix(4, 2), std::vector<bool>(4)};

  const auto applied = apply_op(stacking, entry, fusion_ops_, members_, data_, rows_, said);

  ASSERT_TRUE(applied.has_value()) << applied.error().describe();
  // Both members favour the label of rows 0 and 1, so what is learnt from them must too.
  EXPECT_GT(said.log_probabilities.at(0, 0), said.log_probabilities.at(0, 1));
  EXPECT_LT(said.log_probabilities.at(1, 0), said.log_probabilities.at(1, 1));
}

TEST_F(OpFitTest, RefusesWhatIsNotFitted) {
  const auto checked = check_fittable(node("weighted_vote", "{pool: linear}"));

  ASSERT_FALSE(checked.has_value());
  EXPECT_THAT(checked.error().describe(), testing::HasSubstr("weights:"));
}

}  // namespace
}  // namespace braid
