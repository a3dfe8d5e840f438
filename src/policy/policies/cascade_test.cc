#include <gtest/gtest.h>

#include "policy/policy_fixture.h"

namespace braid {
namespace {

class Cascade : public testing::Test {
 protected:
  static Action decide(const std::string& settings, const Observation& seen) {
    return (*make_policy("cascade", settings))->decide(seen);
  }
  static std::string refusal(const std::string& settings) {
    return make_policy("cascade", settings).error().message;
  }
};

TEST_F(Cascade, BeginsWithTheFirstStep) {
  EXPECT_EQ(decide("{}", first_look()), Action::run(kSmall));
  EXPECT_EQ(decide("{steps: [middle, large]}", first_look()), Action::run(kMiddle));
}

TEST_F(Cascade, AnswersOnceTheThresholdIsReached) {
  EXPECT_EQ(decide("{answer_above: 0.8}", after(1, kSmall, 0.8)), Action::answer());
  EXPECT_EQ(decide("{answer_above: 0.8}", after(1, kSmall, 0.79)), Action::run(kMiddle));
  EXPECT_EQ(decide("{answer_above: 0.8}", after(2, kMiddle, 0.79)), Action::run(kLarge));
}

TEST_F(Cascade, HasAThresholdForEachStepButTheLast) {
  EXPECT_EQ(decide("{answer_above: [0.9, 0.6]}", after(1, kSmall, 0.7)), Action::run(kMiddle));
  EXPECT_EQ(decide("{answer_above: [0.9, 0.6]}", after(2, kMiddle, 0.7)), Action::answer());
}

TEST_F(Cascade, AnswersAfterTheLastStepHoweverUnsure) {
  EXPECT_EQ(decide("{}", after(3, kLarge, 0.1)), Action::answer());
  EXPECT_EQ(decide("{steps: [small, middle]}", after(2, kMiddle, 0.1)), Action::answer());
}

TEST_F(Cascade, SkipsBarredSteps) {
  Observation seen = first_look();
  seen.plans[kSmall].barred = "not loaded";
  EXPECT_EQ(decide("{}", seen), Action::run(kMiddle));
  seen = after(1, kSmall, 0.1);
  seen.plans[kMiddle].barred = seen.plans[kLarge].barred = "the deadline is near";
  EXPECT_EQ(decide("{}", seen), Action::answer());
}

TEST_F(Cascade, DoesWhatTheRequestAsks) {
  Observation seen = after(1, kSmall, 0.85);
  EXPECT_EQ(decide("{answer_above: 0.8}", seen), Action::answer());
  seen.min_confidence = 0.95;
  EXPECT_EQ(decide("{answer_above: 0.8}", seen), Action::run(kMiddle));
  seen.min_confidence = 0.5;
  EXPECT_EQ(decide("{answer_above: 0.9}", seen), Action::answer());
}

// All of the cascade is barred, and nothing is in hand: any answer is better than none.
TEST_F(Cascade, LeavesItsStepsRatherThanGiveNoAnswer) {
  Observation seen = first_look();
  seen.plans[kSmall].barred = "not loaded";
  EXPECT_EQ(decide("{steps: [small]}", seen), Action::run(kMiddle));
}

TEST_F(Cascade, SaysWhatIsWrongWithItsSettings) {
  EXPECT_NE(refusal("steps: [small, huge]").find("no plan 'huge'"), std::string::npos);
  EXPECT_NE(refusal("steps: [small, small]").find("comes twice"), std::string::npos);
  EXPECT_NE(refusal("answer_above: [0.1, 0.2, 0.3]").find("3 thresholds for 3 steps"),
            std::string::npos);
  EXPECT_NE(refusal("answer_above: 90").find("from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal("answer_over: 0.9").find("did you mean 'answer_above'?"), std::string::npos);
}

}  // namespace
}  // namespace braid
