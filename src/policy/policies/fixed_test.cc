#include <gtest/gtest.h>

#include "policy/policy_fixture.h"

namespace braid {
namespace {

// Plans come from cheap to full: who says nothing of cost gets the full one.
TEST(Fixed, RunsTheLastPlanUnlessToldOtherwise) {
  EXPECT_EQ((*make_policy("fixed", "{}"))->decide(first_look()), Action::run(kLarge));
  EXPECT_EQ((*make_policy("fixed", "{plan: small}"))->decide(first_look()), Action::run(kSmall));
}

TEST(Fixed, AnswersAfterOneStepHoweverUnsure) {
  EXPECT_EQ((*make_policy("fixed", "{}"))->decide(after(1, kSmall, 0.1)), Action::answer());
}

TEST(Fixed, FallsBackToTheCheapestThatMayRun) {
  Observation seen = first_look();
  seen.plans[kLarge].barred = "not loaded";
  seen.plans[kSmall].cost_core_ms = 9;
  EXPECT_EQ((*make_policy("fixed", "{plan: large}"))->decide(seen), Action::run(kMiddle));
}

TEST(Fixed, TriesAnotherPlanWhenTheFirstSaidNothing) {
  Observation seen = after(1, kLarge, 0);
  seen.evidence.reset();
  seen.plans[kLarge].barred = "nothing of it is left to run";
  EXPECT_EQ((*make_policy("fixed", "{plan: large}"))->decide(seen), Action::run(kSmall));
}

TEST(Fixed, NamesThePlansThatThereAre) {
  EXPECT_EQ(make_policy("fixed", "plan: smal").error().message,
            "settings:1: plan: no plan 'smal' (did you mean 'small'?); the pipeline's plans: "
            "small, middle, large");
}

}  // namespace
}  // namespace braid
