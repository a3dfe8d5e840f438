// What policy/policy.h promises, tried on every registered policy with observations made up by a
// seeded generator. A policy that needs settings brings tests/data/policy/<name>.yaml, for the
// plans 'small', 'middle' and 'large' and the inputs 'picture' and 'note'.

#include "policy/policy.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

const std::vector<std::string> kPlans = {"small", "middle", "large"};

Registry<Policy> all_policies() {
  Registry<Policy> registry("policy");
  register_policy_policies(registry);
  return registry;
}

std::string settings_text(const std::string& policy) {
  std::ifstream file("tests/data/policy/" + policy + ".yaml");
  return file ? std::string{std::istreambuf_iterator<char>(file), {}} : "{}";
}

Result<std::unique_ptr<Policy>> make(const std::string& policy, const std::string& settings) {
  return all_policies().make(
      policy,
      {.settings = *Settings::parse(settings), .plans = kPlans, .inputs = {"picture", "note"}});
}

class EveryPolicy : public testing::TestWithParam<std::string> {
 protected:
  EveryPolicy() {
    auto made = make(GetParam(), settings_text(GetParam()));
    EXPECT_TRUE(made.has_value()) << made.error().describe();
    policy_ = *std::move(made);
  }

  double share() { return std::uniform_real_distribution<>(0, 1)(random_); }
  bool chance(double probability) { return share() < probability; }

  Observation arbitrary() {
    Observation seen;
    std::ranges::generate(seen.numbers, [&] { return share(); });
    for (const std::string& name : kPlans) {
      PlanSeen plan{.name = name};
      plan.cost_core_ms = 50 * share();
      plan.latency_mean = std::chrono::milliseconds(static_cast<int>(100 * share()));
      plan.latency_q95 = 2 * plan.latency_mean;
      plan.gain = share();
      plan.barred = chance(0.4) ? "the deadline is near" : "";
      seen.plans.push_back(std::move(plan));
    }
    seen.steps_run = random_() % (kPlans.size() + 1);
    if (seen.steps_run > 0) {
      seen.last_plan = random_() % kPlans.size();
      if (chance(0.8)) {
        seen.evidence = Evidence{share(), share(), random_() % 5};
      }
    }
    for (const char* input : {"picture", "note"}) {
      if (chance(0.7)) {
        seen.input_bytes.emplace_back(input, 1e6 * share());
      }
    }
    seen.min_confidence = chance(0.2) ? std::optional(share()) : std::nullopt;
    seen.cost_budget_core_ms = chance(0.2) ? std::optional(100 * share()) : std::nullopt;
    return seen;
  }

  std::mt19937 random_{7};
  std::unique_ptr<Policy> policy_;
};

TEST_P(EveryPolicy, DecidesTheSameOnTheSameObservation) {
  for (int i = 0; i < 1000; ++i) {
    const Observation seen = arbitrary();
    EXPECT_EQ(policy_->decide(seen), policy_->decide(seen));
  }
}

TEST_P(EveryPolicy, NeverRunsABarredPlan) {
  for (int i = 0; i < 10000; ++i) {
    const Observation seen = arbitrary();
    const Action action = policy_->decide(seen);
    if (action.plan.has_value()) {
      ASSERT_LT(*action.plan, seen.plans.size());
      EXPECT_EQ(seen.plans[*action.plan].barred, "");
    }
  }
}

TEST_P(EveryPolicy, AnswersWhenAllPlansAreBarred) {
  for (int i = 0; i < 1000; ++i) {
    Observation seen = arbitrary();
    for (PlanSeen& plan : seen.plans) {
      plan.barred = "not loaded";
    }
    EXPECT_EQ(policy_->decide(seen), Action::answer());
  }
}

TEST_P(EveryPolicy, RunsSomethingFirstWhileAnythingMayRun) {
  for (int i = 0; i < 1000; ++i) {
    Observation seen = arbitrary();
    seen.steps_run = 0;
    seen.last_plan.reset();
    seen.evidence.reset();
    const bool may_run =
        std::ranges::any_of(seen.plans, [](const PlanSeen& plan) { return plan.barred.empty(); });
    EXPECT_EQ(policy_->decide(seen).plan.has_value(), may_run);
  }
}

// Whatever the steps bring, each plan runs at most once on average: the request ends.
TEST_P(EveryPolicy, EndsWithinOneStepMoreThanThereArePlans) {
  for (int i = 0; i < 1000; ++i) {
    Observation seen = arbitrary();
    seen.steps_run = 0;
    seen.last_plan.reset();
    seen.evidence.reset();
    Action action = policy_->decide(seen);
    while (action.plan.has_value()) {
      ASSERT_LE(seen.steps_run, kPlans.size());
      const Observation next = arbitrary();
      seen.evidence = next.evidence;
      seen.last_plan = action.plan;
      ++seen.steps_run;
      action = policy_->decide(seen);
    }
  }
}

TEST_P(EveryPolicy, RefusesASettingThatItDoesNotKnow) {
  std::string settings = settings_text(GetParam());
  settings = settings == "{}" ? "no_such_key: 1" : settings + "\nno_such_key: 1\n";
  const auto made = make(GetParam(), settings);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("no_such_key"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicy, testing::ValuesIn(all_policies().names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace braid
