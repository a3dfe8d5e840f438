#include "learn/fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/served.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

const FitMember& member(const FitReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.members, name, &FitMember::name);
  BRAID_CHECK(found != report.members.end());
  return *found;
}

/// Every file below a folder by its path, with its bytes.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder)] = *read_file(entry.path());
    }
  }
  return files;
}

// Three deviations of a share over 1200 rows are .034 to .040.
TEST(Fit, ComesNearToTheBestThatAnyRuleCanDo) {
  const Synthetic world;

  const auto report = world.fit();

  ASSERT_TRUE(report.has_value()) << report.error().describe();
  EXPECT_NEAR(member(*report, "one_head").accuracy, 0.691, 0.04);
  EXPECT_NEAR(member(*report, "two_head").accuracy, 0.773, 0.04);
  EXPECT_NEAR(member(*report, "joint").accuracy, 0.816, 0.04);
  EXPECT_NEAR(member(*report, "late").accuracy, 0.816, 0.04);
  EXPECT_NEAR(member(*report, "decision").accuracy, 0.816, 0.04);
  EXPECT_LT(member(*report, "decision").ece, 0.04);
}

/// The probability of "yes".
double yes(Served& served, const std::vector<RawInput>& inputs) {
  const auto decision = served.decide(inputs);
  EXPECT_TRUE(decision.has_value()) << decision.error().describe();
  return decision.has_value() ? decision->probabilities[1].second : -1;
}

double logistic(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

// The served probabilities are those of the problem itself: with both inputs, and with either one.
TEST(Fit, ServesNearlyTheTruePosterior) {
  const Synthetic world;
  ASSERT_TRUE(world.fit().has_value());
  Served served(world);

  for (const double left : {-1.5, 0.0, 1.0}) {
    const RawInput first{"left", fmt::format("[{}, 0.3, -0.2]", left)};
    EXPECT_NEAR(yes(served, {first}), logistic(left), 0.08);
    for (const double right : {-1.0, 0.5, 2.0}) {
      const RawInput second{"right", fmt::format("[{}, 0.1]", right)};
      EXPECT_NEAR(yes(served, {first, second}), logistic(left + 1.5 * right), 0.08);
      EXPECT_NEAR(yes(served, {second}), logistic(1.5 * right), 0.08);
    }
  }
}

TEST(Fit, GivesTheSameFilesFromTheSameDataAndSeed) {
  const Synthetic world(300);
  ASSERT_TRUE(world.fit("first").has_value());
  ASSERT_TRUE(world.fit("second").has_value());

  const auto first = files_in(world.folder / "first");
  const auto second = files_in(world.folder / "second");

  EXPECT_EQ(first, second);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : first) {
    names.push_back(name);
  }
  EXPECT_THAT(names, IsSupersetOf({"made_up/pipeline.yaml", "made_up/fitted.json",
                                   "enc/1/model.reference.yaml",
                                   "made_up_joint__enc__features/1/model.onnx"}));
}

// A fit that fails or is stopped must leave what served until then.
TEST(Fit, LeavesTheOldRepositoryWhenItFails) {
  const Synthetic world(300);
  ASSERT_TRUE(world.fit().has_value());
  const auto before = files_in(world.folder / "repository");
  FitConfig config = *read_fit_config(world.folder / "FIT.yaml");
  const std::atomic<bool> stop = true;
  FitContext context = world.context();
  context.stop = &stop;

  const auto stopped =
      fit(config, {world.preprocessors, world.backends, world.fusion_ops, world.policies}, context);

  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
  EXPECT_EQ(files_in(world.folder / "repository"), before);
  EXPECT_FALSE(std::filesystem::exists(world.folder / "repository.partial"));
}

TEST(Fit, NamesTheRowThatCannotBeRead) {
  const Synthetic world(300);
  std::string manifest = *read_file(world.folder / "manifest.csv");
  manifest += "broken,train,gx,yes,\"[1, 2]\",\n";
  world.write("manifest.csv", manifest);

  const auto report = world.fit();

  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().describe(), HasSubstr("manifest.csv:302: row 'broken'"));
  EXPECT_THAT(report.error().describe(), HasSubstr("input 'left'"));
}

// A forest says probabilities itself, so it votes without a head.
TEST(Fit, GrowsForestsBesideHeads) {
  const Synthetic world(400);
  world.write("FIT.yaml",
              "name: made_up\n"
              "manifest: manifest.csv\n"
              "models: encoders\n"
              "inputs:\n"
              "  left: {modality: table, columns: [a, b, c]}\n"
              "  right: {modality: table, columns: [d, e]}\n"
              "branches:\n"
              "  one: {inputs: [left], variants: [enc]}\n"
              "  two: {inputs: [right], variants: [{fit: xgboost, rounds: 30, depth: 2}]}\n"
              "fit: {splits: [train]}\n");

  const auto report = world.fit();

  ASSERT_TRUE(report.has_value()) << report.error().describe();
  EXPECT_NEAR(member(*report, "two").accuracy, 0.773, 0.08);
  EXPECT_GT(member(*report, "two").weight, 0);
  Served served(world);
  EXPECT_GT(yes(served, {{"left", "[1, 0, 0]"}, {"right", "[2, 0]"}}), 0.8);
  EXPECT_LT(yes(served, {{"left", "[-1, 0, 0]"}, {"right", "[-2, 0]"}}), 0.2);
}

TEST(Fit, FitsStackingWhereTheFileAsksForIt) {
  const Synthetic world(600);
  world.write("FIT.yaml", std::string(Synthetic::yaml) +
                              "fusion:\n"
                              "  a: {op: model, inputs: [one]}\n"
                              "  b: {op: model, inputs: [two]}\n"
                              "  both: {op: stacking, inputs: [a, b]}\n");

  const auto report = world.fit();

  ASSERT_TRUE(report.has_value()) << report.error().describe();
  EXPECT_NEAR(member(*report, "both").accuracy, 0.816, 0.05);
  Served served(world);
  EXPECT_NEAR(yes(served, {{"left", "[1, 0, 0]"}, {"right", "[0.5, 0]"}}), logistic(1.75), 0.1);
}

}  // namespace
}  // namespace braid
