// The out-of-domain score from the fit to the answer, on a problem whose distribution is known.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/served.h"

namespace braid {
namespace {

using testing::HasSubstr;

Decision decide(Served& served, const std::vector<RawInput>& inputs) {
  const auto decision = served.decide(inputs);
  EXPECT_TRUE(decision.has_value()) << decision.error().describe();
  return decision.has_value() ? *decision : Decision{};
}

DomainScore score_of(const Decision& decision, const std::string& branch) {
  for (const DomainScore& each : decision.out_of_domain) {
    if (each.branch == branch) {
      return each;
    }
  }
  ADD_FAILURE() << "no score of branch " << branch;
  return {};
}

// Of 1000 new rows 1 in 100 lies farther out than 99 % of training: three deviations of that share
// and of the limit, which 1200 rows set, are .013. Scores of new rows are even: their mean is ½.
TEST(OutOfDomain, NewRowsAreFlaggedAtTheNominalRate) {
  const Synthetic world;
  ASSERT_TRUE(world.fit().has_value());
  Served served(world);
  std::mt19937_64 random(7);
  std::size_t flagged = 0;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double first = (i % 2 == 0 ? -0.5 : 0.5) + Synthetic::normal(random);
    const double second = Synthetic::normal(random);
    const double third = Synthetic::normal(random);
    const DomainScore score = score_of(
        decide(served, {{"left", fmt::format("[{}, {}, {}]", first, second, third)}}), "one");
    flagged += score.flagged ? 1 : 0;
    sum += score.score;
  }
  EXPECT_NEAR(static_cast<double>(flagged) / 1000, 0.01, 0.013);
  EXPECT_GT(flagged, 0U);
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

TEST(OutOfDomain, FarRowsAreCalledSo) {
  const Synthetic world(400);
  ASSERT_TRUE(world.fit().has_value());
  Served served(world);

  const Decision decision = decide(served, {{"left", "[40, -30, 0]"}, {"right", "[0, 0]"}});

  EXPECT_TRUE(score_of(decision, "one").flagged);
  EXPECT_EQ(score_of(decision, "one").score, 1);
  EXPECT_FALSE(score_of(decision, "two").flagged) << "a table of its own columns has one too";
  EXPECT_TRUE(score_of(decide(served, {{"right", "[0, 9]"}}), "two").flagged);
  EXPECT_TRUE(decision.degraded.empty()) << "it is reported, not taken away";
}

TEST(OutOfDomain, TheFilesLimitReachesThePipeline) {
  const Synthetic world(400);
  std::string yaml = Synthetic::yaml;
  yaml.replace(yaml.find("variants: [enc]"), 15,
               "variants: [enc], out_of_domain: {above: 0.999, absent: true}");
  world.write("FIT.yaml", yaml);
  ASSERT_TRUE(world.fit().has_value());
  EXPECT_THAT(*read_file(world.folder / "repository/made_up/pipeline.yaml"),
              HasSubstr("out_of_domain: {above: 0.999, absent: true}"));
  Served served(world);

  const Decision decision = decide(served, {{"left", "[40, -30, 0]"}, {"right", "[2, 0]"}});

  ASSERT_EQ(decision.degraded.size(), 1U);
  EXPECT_EQ(decision.degraded.front().part, "one");
  EXPECT_THAT(decision.degraded.front().reason, HasSubstr("out of domain: 100.00 %"));
  EXPECT_EQ(decision.label, "yes");
}

// A score of a changed file would be wrong without a word.
TEST(OutOfDomain, AnotherFileIsRefused) {
  const Synthetic world(300);
  ASSERT_TRUE(world.fit().has_value());
  const std::filesystem::path folder = world.folder / "repository/made_up";
  std::string bytes = *read_file(folder / "domain0.one.enc.npy");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_TRUE(write_file(folder / "domain0.one.enc.npy", bytes).has_value());

  ModelStore store({{world.folder / "repository"}}, world.backends);
  for (const std::string& name : store.names()) {
    ASSERT_TRUE(store.load(name).has_value());
  }
  const auto loaded =
      Pipeline::load(folder, {world.preprocessors, world.fusion_ops, world.policies, store});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().describe(), HasSubstr("not the file that was fitted"));
}

}  // namespace
}  // namespace braid
