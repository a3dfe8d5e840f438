#include "measure/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/fake_pipeline.h"
#include "measure/figures.h"
#include "measure/report_json.h"
#include "measure/report_table.h"

namespace braid {
namespace {

using testing::HasSubstr;

/// Forty cases: the photo is right in 30, the title in 36 others, all three together in all; the
/// fake's policy always takes the cheap plan, which answers the same.
Evaluation forty_cases() {
  std::vector<FakeCase> cases(26, {"cat", "cat", "cat", "cat"});
  cases.insert(cases.end(), 10, {"dog", "cat", "cat", "cat"});
  cases.insert(cases.end(), 4, {"dog", "cat", "dog", "dog"});
  return *evaluate(fake_pipeline(), fake_manifest(cases), find_configurations(fake_pipeline())->all,
                   {}, fake_decide, [](std::size_t, std::size_t) {});
}

const ConfigurationSummary& row(const Summary& summary, const std::string& key) {
  for (const ConfigurationSummary& each : summary.configurations) {
    if (each.configuration.key == key) {
      return each;
    }
  }
  return summary.configurations.front();
}

const Comparison& comparison(const Summary& summary, const std::string& key) {
  return *std::ranges::find(summary.comparisons, key, &Comparison::key);
}

TEST(Summary, ScoresEachConfiguration) {
  const Summary summary = *summarise(forty_cases());
  EXPECT_EQ(summary.case_count, 40U);
  EXPECT_EQ(summary.group_count, 40U);
  EXPECT_EQ(row(summary, "single_photo").accuracy.value, 0.75);
  EXPECT_EQ(row(summary, "single_title").accuracy.value, 0.9);
  EXPECT_EQ(row(summary, "hybrid").accuracy.value, 1);
  // The photo alone says its word with 0.9: 30 cases cost -ln .9, 10 cost -ln .1; 0.6547 nats.
  EXPECT_NEAR(row(summary, "single_photo").nll.value, 0.6547, 1e-4);
  EXPECT_EQ(row(summary, "hybrid").cost_core_ms.value, 60);
  EXPECT_EQ(row(summary, "policy").latency_p95_ms, 7.5);
  EXPECT_EQ(row(summary, "policy").plans.front().first, "level1");
}

TEST(Summary, ComparesWhatTheClaimsRestOn) {
  const Summary summary = *summarise(forty_cases());
  const Comparison& gain = comparison(summary, "hybrid_best_single");
  EXPECT_EQ(gain.title, "hybrid − record alone");  // the record is right in all
  EXPECT_EQ(gain.accuracy.value, 0);
  const Comparison& without = comparison(summary, "without_record_best_single");
  EXPECT_EQ(without.title, "hybrid without record − title alone");
  const Comparison& policy = comparison(summary, "policy_hybrid");
  EXPECT_EQ(policy.saving->value, 0.75);
  EXPECT_TRUE(policy.is_non_inferior);
  EXPECT_FALSE(gain.saving.has_value());
}

// What an input is worth when another is missing: no row is a single or the hybrid there.
TEST(Summary, ComparesPairsThatAreAskedFor) {
  const auto pair = *parse_pair("without_photo - without_title");
  const Summary summary = *summarise(forty_cases(), {.pairs = {pair}});
  const Comparison& asked = comparison(summary, "without_photo_without_title");
  EXPECT_EQ(asked.title, "hybrid without photo − hybrid without title");
  // Without the photo the title outweighs the record, wrongly in 4 cases. Without the title photo
  // and record are even in 10, where the first class counts, and they are cats: 36 - 40 of 40.
  EXPECT_DOUBLE_EQ(asked.accuracy.value, -0.1);
  EXPECT_EQ(summarise(forty_cases(), {.pairs = {{"hybrid", "without_all"}}}).error().code,
            Code::kNotFound);
  for (const char* text : {"hybrid", "hybrid-early", " - early", "hybrid - "}) {
    EXPECT_EQ(parse_pair(text).error().code, Code::kInvalidArgument) << text;
  }
}

TEST(ReportTable, SaysNoMoreThanTheIntervalsAllow) {
  const Summary summary = *summarise(forty_cases());
  const std::string table = report_table(summary);
  EXPECT_THAT(table, HasSubstr("40 cases in 40 groups"));
  EXPECT_THAT(table, HasSubstr("photo alone"));
  EXPECT_THAT(table, HasSubstr(" 75.0 ["));
  EXPECT_THAT(table, HasSubstr("no significant difference"));
  EXPECT_THAT(table, HasSubstr("non-inferior within 1.0 pt; saves 75.0 % [75.0, 75.0]"));
}

// Whoever doubts a claim computes it again from the records.
TEST(ReportJson, HoldsEveryAnswer) {
  const Evaluation evaluation = forty_cases();
  const Json json = *Json::parse(report_json(evaluation, *summarise(evaluation)).dump(1));
  const Json& last = json.find("records")->list()->back();
  EXPECT_EQ(*last.find("label")->text(), "dog");
  const Json& photo = *last.find("answers")->find("single_photo");
  EXPECT_EQ(*photo.find("label")->text(), "dog");
  EXPECT_NEAR((*photo.find("probabilities")->list())[1].number(), 0.9, 1e-12);
  EXPECT_EQ(json.find("configurations")->list()->size(), 10U);
}

TEST(Figures, GoalsAreHeldAgainstValueOrEnd) {
  const std::vector<Figure> all = figures(*summarise(forty_cases()));
  const std::pair<const char*, bool> goals[] = {
      {"hybrid.accuracy >= 0.84", true},           {"single_photo.accuracy >= 0.76", false},
      {"single_photo.accuracy.low >= 0.7", false}, {"single_photo.accuracy.high <= 1", true},
      {"policy_hybrid.saving >= 0.25", true},      {"policy_hybrid.accuracy.low >= -0.01", true}};
  for (const auto& [text, holds] : goals) {
    const auto outcomes = check_goals({*parse_goal(text)}, all);
    ASSERT_TRUE(outcomes.has_value()) << outcomes.error().describe();
    EXPECT_EQ(outcomes->front().holds, holds) << text;
  }
  EXPECT_EQ(check_goals({*parse_goal("hybrit.accuracy >= 1")}, all).error().code, Code::kNotFound);
  for (const char* text : {"hybrid.accuracy", ">= 1", "hybrid.accuracy >= much", "a > 1"}) {
    EXPECT_EQ(parse_goal(text).error().code, Code::kInvalidArgument) << text;
  }
}

TEST(Figures, BecomeRowsOfEvidenceWithTheirGoals) {
  const std::vector<Figure> all = figures(*summarise(forty_cases()));
  const auto outcomes = *check_goals({*parse_goal("single_photo.accuracy >= 0.9")}, all);
  const std::vector<EvidenceRow> rows = evidence_rows("demo", all, outcomes);
  EXPECT_EQ(rows.front().id, "demo.single_photo.accuracy");
  EXPECT_EQ(rows.front().goal, ">= 0.9");
  EXPECT_EQ(rows.front().holds, false);
  EXPECT_TRUE(rows.front().low.has_value());
  EXPECT_FALSE(rows[1].holds.has_value());
}

}  // namespace
}  // namespace braid
