#include <gtest/gtest.h>

#include "policy/policy_fixture.h"

namespace braid {
namespace {

class Complexity : public testing::Test {
 protected:
  static Action decide(const Observation& seen, const std::string& measure = "note") {
    return (*make_policy("complexity", "{measure: " + measure + ", " + kSteps + "}"))->decide(seen);
  }
  static Observation sent(std::vector<std::pair<std::string_view, double>> bytes) {
    Observation seen = first_look();
    seen.input_bytes = std::move(bytes);
    return seen;
  }
  static std::string refusal(const std::string& settings) {
    return make_policy("complexity", settings).error().message;
  }

  static constexpr const char* kSteps =
      "steps: [{up_to: 200, plan: small}, {up_to: 900, plan: middle}, {plan: large}]";
};

TEST_F(Complexity, ChoosesBySize) {
  EXPECT_EQ(decide(sent({{"note", 200}, {"picture", 1e6}})), Action::run(kSmall));
  EXPECT_EQ(decide(sent({{"note", 201}})), Action::run(kMiddle));
  EXPECT_EQ(decide(sent({{"note", 901}})), Action::run(kLarge));
}

TEST_F(Complexity, AnAbsentInputIsSmall) {
  EXPECT_EQ(decide(sent({{"picture", 1e6}})), Action::run(kSmall));
}

TEST_F(Complexity, MeasuresAllInputsTogether) {
  EXPECT_EQ(decide(sent({{"note", 150}, {"picture", 150}}), "total"), Action::run(kMiddle));
}

TEST_F(Complexity, AnswersAfterItsPlan) {
  EXPECT_EQ(decide(after(1, kSmall, 0.1)), Action::answer());
}

TEST_F(Complexity, ABarredPlanGivesWayToTheCheapest) {
  Observation seen = sent({{"note", 1000}});
  seen.plans[kLarge].barred = "the deadline is near";
  EXPECT_EQ(decide(seen), Action::run(kSmall));
}

TEST_F(Complexity, SaysWhatIsWrongWithItsSettings) {
  EXPECT_NE(refusal("{}").find("name the plans by size"), std::string::npos);
  EXPECT_NE(refusal("{measure: voice, steps: [{plan: small}]}").find("no input 'voice'"),
            std::string::npos);
  EXPECT_NE(refusal("{steps: [{plan: tiny}]}").find("no plan 'tiny'"), std::string::npos);
  EXPECT_NE(refusal("{steps: [{up_to: 9, plan: small}]}").find("no up_to"), std::string::npos);
  EXPECT_NE(refusal("{steps: [{plan: small}, {plan: large}]}").find("say up to"),
            std::string::npos);
  EXPECT_NE(refusal("steps:\n- {up_to: 9, plan: small}\n- {up_to: 9, plan: middle}\n"
                    "- {plan: large}")
                .find(":3: up_to must grow"),
            std::string::npos);
}

}  // namespace
}  // namespace braid
