#include <cmath>

#include <gtest/gtest.h>

#include "fusion/op_fixture.h"

namespace braid {
namespace {

class WeightedVote : public testing::Test {
 protected:
  static std::unique_ptr<FusionOp> open(const std::string& settings,
                                        std::vector<double> prior = {}) {
    return *make_op("weighted_vote", op_setup(settings, kFitted, std::move(prior)));
  }
  static std::string refusal(const std::string& settings, const std::string& fitted) {
    return make_op("weighted_vote", op_setup(settings, fitted)).error().describe();
  }

  static constexpr const char* kFitted = R"({"weights": {"image": 2, "note": 1, "record": 0}})";
  const TestPart image_{"image", {0.8F, 0.2F}};    // odds 4
  const TestPart note_{"note", {0.25F, 0.75F}};    // odds 1/3
  const TestPart record_{"record", {0.9F, 0.1F}};  // odds 9
};

// By hand, as odds yes : no. 4² · (1/3)¹ · 9⁰ = 16/3, so yes has 16/19.
TEST_F(WeightedVote, RaisesOddsToTheirWeights) {
  const auto op = open("{}");
  EXPECT_NEAR(probabilities_of(*op, {image_.said(), note_.said(), record_.said()})[0], 16.0 / 19,
              1e-6);
}

// Without the note 2 of 3 are left. restore 0: 4² = 16. restore 1: 4³ = 64. restore 0.5:
// 4^(2 · sqrt(1.5)).
TEST_F(WeightedVote, RestoresAShareOfTheConfidenceOfThoseAbsent) {
  const std::vector<Part> parts = {image_.said(), absent("note"), record_.said()};
  EXPECT_NEAR(probabilities_of(*open("{restore: 0}"), parts)[0], 16.0 / 17, 1e-6);
  EXPECT_NEAR(probabilities_of(*open("{restore: 1}"), parts)[0], 64.0 / 65, 1e-6);
  const double odds = std::pow(4.0, 2 * std::sqrt(1.5));
  EXPECT_NEAR(probabilities_of(*open("{}"), parts)[0], odds / (odds + 1), 1e-6);
}

// 2/3 · 0.8 + 1/3 · 0.25 = 0.6167; without the note 0.8.
TEST_F(WeightedVote, AveragesInTheLinearPool) {
  const auto op = open("{pool: linear}");
  EXPECT_NEAR(probabilities_of(*op, {image_.said(), note_.said()})[0], 0.61667, 1e-5);
  EXPECT_NEAR(probabilities_of(*op, {image_.said()})[0], 0.8, 1e-6);
}

TEST_F(WeightedVote, HearsAPartWithoutWeightWhenNobodyElseIsThere) {
  EXPECT_NEAR(probabilities_of(*open("{}"), {record_.said()})[0], 0.9, 1e-6);
  EXPECT_NEAR(probabilities_of(*open("{pool: linear}"), {record_.said()})[0], 0.9, 1e-6);
}

// Weights 2 and 1 take the prior's odds 4 in thrice; once is right: 16/3 / 4² = 1/3, so 1/4.
TEST_F(WeightedVote, CorrectsByThePriorWhenAsked) {
  const std::vector<Part> parts = {image_.said(), note_.said()};
  EXPECT_NEAR(probabilities_of(*open("{prior: true}", {0.8, 0.2}), parts)[0], 0.25, 1e-6);
  EXPECT_NEAR(probabilities_of(*open("{}", {0.8, 0.2}), parts)[0], 16.0 / 19, 1e-6);
}

TEST_F(WeightedVote, TakesWeightsFromTheSettingsFirst) {
  const auto op = open("{weights: {image: 1, note: 1, record: 1}}");
  // 4 · 1/3 · 9 = 12
  EXPECT_NEAR(probabilities_of(*op, {image_.said(), note_.said(), record_.said()})[0], 12.0 / 13,
              1e-6);
}

TEST_F(WeightedVote, SaysWhatIsMissingAndTheCure) {
  EXPECT_EQ(refusal("{}", "null"),
            "weighted_vote needs 'weights', and this node's entry of fitted.json has none; run "
            "`braid fit`");
  EXPECT_EQ(refusal("{}", R"({"weights": {"image": 1, "note": 1}})"),
            "fitted 'weights' has no number for input 'record'; run `braid fit` again");
  EXPECT_EQ(refusal("{}", R"({"weights": {"image": 1, "note": 1, "record": 1, "audio": 1}})"),
            "fitted 'weights' names 'audio', which is no input of this node; run `braid fit` "
            "again");
  EXPECT_NE(refusal("{weights: {image: 1, note: 1, recod: 1}}", "null").find("'record'"),
            std::string::npos);
  EXPECT_NE(refusal("{}", R"({"weights": {"image": -1, "note": 1, "record": 1}})").find("0 or"),
            std::string::npos);
}

TEST_F(WeightedVote, RefusesAPartThatIsNoInput) {
  const TestPart audio("audio", {0.5F, 0.5F});
  const std::vector<Part> parts = {audio.said()};
  EXPECT_EQ(open("{}")->combine(parts).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace braid
