#include "measure/evaluate.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/fake_pipeline.h"
#include "measure/scores.h"

namespace braid {
namespace {

using testing::HasSubstr;

// The title misleads in the second case, the photo in the third; the record is absent in the last.
const std::vector<FakeCase> kCases = {{"cat", "cat", "cat", "cat"},
                                      {"dog", "cat", "dog", "dog"},
                                      {"dog", "cat", "cat", "cat"},
                                      {"dog", "dog", "-", "dog"}};

const EvaluateProgress kQuiet = [](std::size_t, std::size_t) {};

std::vector<Configuration> all_of_them() { return find_configurations(fake_pipeline())->all; }

double accuracy_of(const Evaluation& evaluation, const std::string& key) {
  const auto& all = evaluation.configurations;
  const auto found = std::ranges::find(all, key, &Configuration::key);
  return accuracy(answers_of(evaluation, static_cast<std::size_t>(found - all.begin())));
}

TEST(Evaluate, AsksEachConfigurationWithItsInputsOnly) {
  const auto evaluation =
      evaluate(fake_pipeline(), fake_manifest(kCases), all_of_them(), {}, fake_decide, kQuiet);
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().describe();
  EXPECT_EQ(accuracy_of(*evaluation, "single_photo"), 0.75);
  EXPECT_EQ(accuracy_of(*evaluation, "single_title"), 0.75);
  EXPECT_EQ(accuracy_of(*evaluation, "single_record"), 0.75);  // the absent one fails, so is wrong
  EXPECT_EQ(accuracy_of(*evaluation, "hybrid"), 1);
  EXPECT_EQ(accuracy_of(*evaluation, "without_record"), 0.75);
}

TEST(Evaluate, NamesCasePlanAndNodeInTheRequest) {
  std::vector<std::string> seen;
  const Door door = [&](Request request) {
    seen.push_back(request.id + " " + request.plan.value_or("-") + " " +
                   request.answer_node.value_or("-") + (request.explain ? " explain" : ""));
    return fake_decide(request);
  };
  const std::vector<Configuration> two = {
      {.kind = Configuration::Kind::kEarly,
       .key = "e",
       .title = "e",
       .inputs = {"photo"},
       .answer_node = "joint",
       .plan = "full"},
      {.kind = Configuration::Kind::kPolicy, .key = "p", .title = "p", .inputs = {"photo"}}};
  const auto evaluation = evaluate(fake_pipeline(), fake_manifest(kCases), two,
                                   {.limit = 2, .warm_up = 0}, door, kQuiet);
  ASSERT_TRUE(evaluation.has_value());
  // The second case begins with the second configuration.
  EXPECT_EQ(seen, (std::vector<std::string>{"2 full joint", "2 - -", "3 - -", "3 full joint"}));
  EXPECT_EQ(evaluation->cases[1].answers[0].plan, "full");
  EXPECT_EQ(evaluation->cases[1].answers[1].plan, "level1");
}

TEST(Evaluate, ARequestThatFailsIsAnAnswerThatIsWrong) {
  const auto evaluation = evaluate(fake_pipeline(), fake_manifest({{"fail", "cat", "cat", "cat"}}),
                                   all_of_them(), {}, fake_decide, kQuiet);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(accuracy_of(*evaluation, "hybrid"), 0);
  EXPECT_EQ(accuracy_of(*evaluation, "without_photo"), 1);
  EXPECT_THAT(evaluation->cases[0].answers[0].error, HasSubstr("told to fail"));
}

// An accuracy that a busy machine has lowered must not pass for the pipeline's own.
TEST(Evaluate, MarksAnswersThatTheDeadlineCutShort) {
  const Door door = [](Request request) {
    Result<Decision> decision = fake_decide(request);
    Decision cut = *std::move(decision);
    cut.degraded = {{"photo", "absent"}, {"text", request.plan ? "deadline" : "absent"}};
    return Result<Decision>(std::move(cut));
  };
  const auto all = all_of_them();
  const auto evaluation =
      evaluate(fake_pipeline(), fake_manifest({kCases[0]}), all, {}, door, kQuiet);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_TRUE(evaluation->cases[0].answers.front().cut_short);
  EXPECT_FALSE(evaluation->cases[0].answers.back().cut_short);  // the policy names no plan
}

TEST(Evaluate, SeveralAtATimeAnswerEachCaseOnce) {
  const std::vector<FakeCase> many(57, kCases[0]);
  std::atomic<std::size_t> asked = 0;
  std::size_t reported = 0;
  const Door door = [&](Request request) {
    ++asked;
    return fake_decide(request);
  };
  const auto evaluation = evaluate(
      fake_pipeline(), fake_manifest(many), all_of_them(), {.concurrency = 4, .warm_up = 0}, door,
      [&](std::size_t done, std::size_t total) { reported = done == total ? total : 0; });
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(asked, 57 * all_of_them().size());
  EXPECT_EQ(reported, 57U);
  for (const CaseRecord& each : evaluation->cases) {
    EXPECT_EQ(each.answers.size(), all_of_them().size());
  }
}

TEST(Evaluate, NamesTheLineOfALabelThatIsNoClass) {
  const auto manifest = fake_manifest({{"cat", "cat", "cat", "cat"}, {"cat", "cat", "cat", "cow"}});
  const auto evaluation =
      evaluate(fake_pipeline(), manifest, all_of_them(), {}, fake_decide, kQuiet);
  EXPECT_THAT(evaluation.error().describe(), HasSubstr("line 3: label 'cow'"));
}

// An input that is spelt otherwise in the manifest would be absent in every case without a word.
TEST(Evaluate, RefusesAManifestThatLacksAnInput) {
  auto manifest = fake_manifest(kCases);
  manifest.inputs = {"photo", "titel", "record"};
  const auto evaluation =
      evaluate(fake_pipeline(), manifest, all_of_them(), {}, fake_decide, kQuiet);
  EXPECT_THAT(evaluation.error().describe(), HasSubstr("no column 'title'"));
}

TEST(Evaluate, PoolsFoldsAndRefusesOverlap) {
  const auto fold = [&](const std::string& prefix) {
    return *evaluate(fake_pipeline(), fake_manifest(kCases, prefix), all_of_them(), {}, fake_decide,
                     kQuiet);
  };
  std::vector<Evaluation> apart;
  apart.push_back(fold("a"));
  apart.push_back(fold("b"));
  const auto pooled = pool(std::move(apart));
  ASSERT_TRUE(pooled.has_value());
  EXPECT_EQ(pooled->cases.size(), 8U);

  std::vector<Evaluation> same;
  same.push_back(fold("a"));
  same.push_back(fold("a"));
  EXPECT_THAT(pool(std::move(same)).error().describe(), HasSubstr("two folds"));

  std::vector<Evaluation> different;
  different.push_back(fold("a"));
  different.push_back(fold("b"));
  different.back().configurations.pop_back();
  EXPECT_EQ(pool(std::move(different)).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace braid
