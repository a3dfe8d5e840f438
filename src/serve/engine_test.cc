#include "serve/engine.h"

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_world.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Two inputs, a branch each, joined by the mean.
constexpr const char* kTwoBranches = R"(
name: test
decision: {classes: [yes, no]}
inputs: {left: {modality: number}, right: {modality: number}}
branches:
  a: {inputs: [left], variants: [MODEL_A]}
  b: {inputs: [right], variants: [binary]}
fusion: {decision: {op: mean, inputs: [a, b]}}
)";

std::string two_branches(const std::string& model_a) {
  std::string yaml = kTwoBranches;
  return yaml.replace(yaml.find("MODEL_A"), 7, model_a);
}

// A cheap variant first; the second one runs when the first is not sure.
constexpr const char* kCascade = R"(
name: test
decision: {classes: [yes, no]}
inputs: {left: {modality: number}}
branches:
  a: {inputs: [left], variants: [{model: LARGE, name: large}, {model: binary, name: small}]}
plans: {cheap: {a: small}, full: {a: large}}
policy: {kind: cascade, steps: [cheap, full], answer_above: 0.9}
)";

std::string cascade(const std::string& large) {
  std::string yaml = kCascade;
  return yaml.replace(yaml.find("LARGE"), 5, large);
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.add_model("binary", "binary");
    world_.add_model("fail", "fail");
    world_.add_model("hang", "hang");
    world_.add_model("head", "sum binary");
    world_.add_model("other_head", "sum elsewhere");
  }

  void publish(const std::string& yaml) {
    const Result<void> published = world_.publish(yaml);
    ASSERT_TRUE(published.has_value()) << published.error().describe();
  }

  /// After two runs the dispatcher knows that the model is quick, and runs it inline.
  void warm_up(const std::string& model) {
    for (int i = 0; i < 2; ++i) {
      Door done;
      Job job{.model = *world_.store->get(model), .inputs = {}, .cancel = {}, .done = nullptr};
      job.inputs.push_back({"x", *Tensor::from(Shape{1, 1}, std::vector<float>{0.5F})});
      job.done = [&](const JobOutcome&) { done.open(); };
      ASSERT_TRUE(world_.dispatcher->add(std::move(job)).has_value());
      done.wait();
    }
  }

  ManualClock clock_;
  FakeWorld world_{clock_};
};

// By hand: (0.9 + 0.5) / 2 = 0.7. Without left 0.5 is left of the label, without right 0.9:
// contributions log(0.7 / 0.5) = 0.336 and log(0.7 / 0.9) = -0.251.
TEST_F(EngineTest, FusesTwoBranchesAndExplains) {
  publish(two_branches("binary"));
  const Decision decision = *world_.engine->decide(request_of({{"left", "0.9"}, {"right", "0.5"}}));
  EXPECT_EQ(decision.label, "yes");
  EXPECT_NEAR(decision.confidence, 0.7, 1e-6);
  EXPECT_EQ(decision.id, "case");
  ASSERT_EQ(decision.contributions.size(), 2U);
  EXPECT_NEAR(decision.contributions[0].second, std::log(0.7 / 0.5), 1e-5);
  EXPECT_NEAR(decision.contributions[1].second, std::log(0.7 / 0.9), 1e-5);
  EXPECT_TRUE(decision.degraded.empty());
  EXPECT_EQ(decision.route.size(), 2U);
}

TEST_F(EngineTest, AnswersWithoutAnAbsentInputAndSaysSo) {
  publish(two_branches("binary"));
  const Decision decision = *world_.engine->decide(request_of({{"right", "0.2"}}));
  EXPECT_EQ(decision.label, "no");
  EXPECT_NEAR(decision.confidence, 0.8, 1e-6);
  ASSERT_EQ(decision.degraded.size(), 1U);
  EXPECT_EQ(decision.route.size(), 1U) << "a branch without its input does not run";
  EXPECT_EQ(decision.degraded.front().part, "left");
  EXPECT_EQ(decision.degraded.front().reason, "absent");
}

TEST_F(EngineTest, AFailingBranchIsAbsentWithItsReason) {
  publish(two_branches("fail"));
  const Decision decision = *world_.engine->decide(request_of({{"left", "0.9"}, {"right", "0.2"}}));
  EXPECT_NEAR(decision.confidence, 0.8, 1e-6);
  ASSERT_EQ(decision.degraded.size(), 1U);
  EXPECT_EQ(decision.degraded.front().part, "a");
  EXPECT_THAT(decision.degraded.front().reason, HasSubstr("it broke"));
}

TEST_F(EngineTest, AnInputThatCannotBeReadIsTheClientsErrorOnlyWhenNothingIsLeft) {
  publish(two_branches("binary"));
  EXPECT_TRUE(world_.engine->decide(request_of({{"left", "x"}, {"right", "0.2"}})).has_value());
  const auto nothing = world_.engine->decide(request_of({{"left", "x"}}));
  EXPECT_EQ(nothing.error().code, Code::kInvalidArgument);
  EXPECT_THAT(nothing.error().describe(), HasSubstr("not a number"));
  EXPECT_EQ(world_.engine->decide(request_of({})).error().code, Code::kInvalidArgument);
}

TEST_F(EngineTest, ARequiredBranchThatIsAbsentFailsTheRequest) {
  std::string yaml = two_branches("fail");
  yaml.replace(yaml.find("variants: [fail]"), 16, "variants: [fail], required: true");
  publish(yaml);
  const auto answer = world_.engine->decide(request_of({{"left", "0.9"}, {"right", "0.2"}}));
  EXPECT_EQ(answer.error().code, Code::kInternal);
  EXPECT_THAT(answer.error().describe(), HasSubstr("required branch 'a'"));
}

TEST_F(EngineTest, CascadeAnswersEarlyOnlyWhenSure) {
  publish(cascade("binary"));
  const Decision sure = *world_.engine->decide(request_of({{"left", "0.95"}}));
  EXPECT_EQ(sure.plan, "cheap");
  EXPECT_EQ(sure.route.size(), 1U);
  const Decision unsure = *world_.engine->decide(request_of({{"left", "0.6"}}));
  EXPECT_EQ(unsure.plan, "full");
  ASSERT_EQ(unsure.route.size(), 2U);
  EXPECT_EQ(unsure.route[1].variant, "large");
  EXPECT_EQ(unsure.route[1].step, 2);
}

// A larger variant that fails must not take away what the smaller one said.
TEST_F(EngineTest, CascadeKeepsTheAnswerInHandWhenTheNextStepFails) {
  publish(cascade("fail"));
  const Decision decision = *world_.engine->decide(request_of({{"left", "0.6"}}));
  EXPECT_NEAR(decision.confidence, 0.6, 1e-6);
  ASSERT_EQ(decision.degraded.size(), 1U);
  EXPECT_THAT(decision.degraded.front().reason, HasSubstr("large: it broke"));
}

TEST_F(EngineTest, AForcedPlanRunsAloneAndAForcedNodeAnswers) {
  publish(cascade("binary"));
  Request request = request_of({{"left", "0.95"}});
  request.plan = "full";
  EXPECT_EQ(world_.engine->decide(std::move(request))->route.front().variant, "large");

  publish(two_branches("binary"));
  Request of_branch = request_of({{"left", "0.9"}, {"right", "0.5"}});
  of_branch.answer_node = "a";
  const Decision decision = *world_.engine->decide(std::move(of_branch));
  EXPECT_NEAR(decision.confidence, 0.9, 1e-6);
  EXPECT_EQ(decision.answered_by, "a");
}

// By hand: logits [a + b, 0], so sigmoid(0.9 + 0.5) = 0.802; without b sigmoid(0.9) = 0.711.
TEST_F(EngineTest, ALearnedHeadSeesWhichPartsArePresent) {
  publish(two_branches("binary") + "\n");
  std::string yaml = two_branches("binary");
  yaml.replace(yaml.find("op: mean"), 8, "op: model, model: head");
  publish(yaml);
  const Decision both = *world_.engine->decide(request_of({{"left", "0.9"}, {"right", "0.5"}}));
  EXPECT_NEAR(both.confidence, 1 / (1 + std::exp(-1.4)), 1e-5);
  EXPECT_NEAR(both.contributions[1].second,
              std::log(1 / (1 + std::exp(-1.4))) - std::log(1 / (1 + std::exp(-0.9))), 1e-5);
  const Decision one = *world_.engine->decide(request_of({{"left", "0.9"}}));
  EXPECT_NEAR(one.confidence, 1 / (1 + std::exp(-0.9)), 1e-5);
}

TEST_F(EngineTest, RefusesUnknownNamesWithWhatThereIs) {
  publish(two_branches("binary"));
  const auto unknown_input = world_.engine->decide(request_of({{"middle", "1"}}));
  EXPECT_THAT(unknown_input.error().describe(), HasSubstr("it has: left, right"));
  Request elsewhere = request_of({});
  elsewhere.pipeline = "nowhere";
  EXPECT_EQ(world_.engine->decide(std::move(elsewhere)).error().code, Code::kNotFound);
  Request plan = request_of({{"left", "1"}});
  plan.plan = "golden";
  EXPECT_THAT(world_.engine->decide(std::move(plan)).error().describe(), HasSubstr("full"));
  EXPECT_EQ(world_.engine->decide(request_of({{"left", "1"}, {"left", "1"}})).error().code,
            Code::kInvalidArgument);
}

/// Submits a request whose quick branches run inline, since their models are known to be quick, and
/// lets its deadline pass while another one hangs.
Result<Decision> decide_past_deadline(FakeWorld& world, ManualClock& clock, Request request) {
  Result<Decision> answer = Error{Code::kInternal, "no answer"};
  Door answered;
  request.deadline = Deadline::after(clock, 50ms);
  request.reply = Reply([&](Result<Decision> given) {
    answer = std::move(given);
    answered.open();
  });
  world.engine->submit(std::move(request));
  clock.advance(49ms);  // before the deadline, since the answer has a way to go
  answered.wait();
  return answer;
}

TEST_F(EngineTest, TheDeadlineCutsOffABranchThatHangs) {
  std::string yaml = two_branches("binary");
  yaml.replace(yaml.find("[right], variants: [binary]"), 27, "[right], variants: [hang]");
  publish(yaml);
  warm_up("binary");
  const auto answer =
      decide_past_deadline(world_, clock_, request_of({{"left", "0.2"}, {"right", "0.9"}}));
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_NEAR(answer->confidence, 0.8, 1e-6);
  ASSERT_EQ(answer->degraded.size(), 1U);
  EXPECT_EQ(answer->degraded.front().part, "b");
  EXPECT_EQ(answer->degraded.front().reason, "deadline");
}

TEST_F(EngineTest, TheDeadlineGivesTheAnswerInHand) {
  publish(cascade("hang"));
  warm_up("binary");
  const auto answer = decide_past_deadline(world_, clock_, request_of({{"left", "0.6"}}));
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_NEAR(answer->confidence, 0.6, 1e-6);
  EXPECT_EQ(answer->degraded.front().reason, "deadline");
}

// The work of an answered request leaves the queue; the flag is the client's, who may have others.
TEST_F(EngineTest, AnAnswerStopsWhatStillWaitsForItAndNothingElse) {
  publish(cascade("hang"));
  warm_up("binary");
  const Request first = request_of({{"left", "0.6"}});
  for (int i = 0; i < 3; ++i) {  // two slots hang; what the third wants waits in a queue
    Request next = request_of({{"left", "0.6"}});
    next.cancel = first.cancel;
    (void)decide_past_deadline(world_, clock_, std::move(next));
  }
  EXPECT_FALSE(first.cancel.cancelled());
  world_.release();
  world_.engine->drain();
  std::uint64_t cancelled = 0;
  for (const char* model : {"hang", "binary"}) {
    cancelled +=
        world_.metrics.counter("braid_dispatch_cancelled_total", "", {{"model", model}}).value();
  }
  EXPECT_GE(cancelled, 1U);
}

TEST_F(EngineTest, ADeadlineWithNothingInHandIsAnError) {
  publish(cascade("binary"));
  Request request = request_of({{"left", "0.6"}});
  request.plan = "full";
  request.deadline = Deadline::after(clock_, 0ms);
  const auto answer = world_.engine->decide(std::move(request));
  EXPECT_FALSE(answer.has_value());
}

TEST_F(EngineTest, RefusesBeyondItsLimitInFlightAndAfterDraining) {
  publish(two_branches("hang") + "limits: {in_flight: 1}\n");
  std::atomic<int> answers = 0;
  Request first = request_of({{"left", "0.9"}});
  first.reply = Reply([&](Result<Decision>) { ++answers; });
  world_.engine->submit(std::move(first));
  const auto second = world_.engine->decide(request_of({{"right", "0.9"}}));
  EXPECT_EQ(second.error().code, Code::kExhausted);
  world_.release();
  world_.engine->drain();
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(world_.engine->decide(request_of({{"right", "0.9"}})).error().code, Code::kUnavailable);
}

TEST_F(EngineTest, RefusesMoreBytesInFlightThanItsLimit) {
  publish(two_branches("hang") + "limits: {in_flight_bytes: 5}\n");
  std::atomic<int> answers = 0;
  Request first = request_of({{"left", "0.9"}});
  first.reply = Reply([&](Result<Decision>) { ++answers; });
  world_.engine->submit(std::move(first));
  const auto second = world_.engine->decide(request_of({{"right", "0.9"}}));
  EXPECT_EQ(second.error().code, Code::kExhausted);
  EXPECT_THAT(second.error().message, HasSubstr("limits.in_flight_bytes is 5"));
  world_.release();
  world_.engine->drain();
  EXPECT_EQ(answers, 1);
}

TEST_F(EngineTest, AnswersEachOfManyRequestsOnce) {
  publish(cascade("binary") + "limits: {in_flight: 100000}\n");
  std::atomic<int> answers = 0;
  std::atomic<int> strange = 0;  // errors that a full queue does not explain
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Request request = request_of({{"left", i % 2 == 0 ? "0.95" : "0.6"}});
        request.reply = Reply([&](Result<Decision> answer) {
          ++answers;
          strange += !answer.has_value() && answer.error().code != Code::kExhausted;
        });
        world_.engine->submit(std::move(request));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  world_.engine->drain();
  EXPECT_EQ(answers, 2000);
  EXPECT_EQ(strange, 0);
}

}  // namespace
}  // namespace braid
