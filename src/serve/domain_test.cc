#include "serve/domain.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "serve/fake_world.h"
#include "tensor/npy.h"

namespace braid {
namespace {

using testing::HasSubstr;

// By hand: y = (x − [1, 2]) · [2, 1]; the direction (√¾, 0) leaves a quarter of y[0]².
const DomainNumbers kNumbers{{1, 2}, {2, 1}, {std::sqrt(0.75), 0}, {0, 1, 2, 4, 8}};

double distance(const std::vector<float>& embedding) {
  return Domain(kNumbers).distance(embedding);
}

TEST(Domain, MeasuresAlongDirectionsAndBesideThem) {
  EXPECT_NEAR(distance({1, 2}), 0, 1e-12);
  EXPECT_NEAR(distance({3, 2}), 4, 1e-12);
  EXPECT_NEAR(distance({3, 5}), 4 + 9, 1e-12);
  EXPECT_NEAR(distance({NAN, 5}), 9, 1e-12);
  EXPECT_TRUE(std::isinf(distance({INFINITY, 5})));
}

TEST(Domain, TellsTheShareThatIsNearer) {
  const Domain domain(kNumbers);
  const std::pair<double, double> expected[] = {{-1, 0},    {0, 0}, {0.5, 0.125}, {1, 0.25},
                                                {3, 0.625}, {8, 1}, {1e9, 1},     {INFINITY, 1}};
  for (const auto& [squared, share] : expected) {
    EXPECT_NEAR(domain.share_nearer(squared), share, 1e-12) << squared;
  }
}

// A space whose middle is 0.5 and whose last training row lies at 0.9: d² = (x − 0.5)² · 100.
class DomainWorld : public testing::Test {
 protected:
  void SetUp() override {
    world_.add_model("binary", "binary");
    const double middle_and_factor[] = {0.5, 10};
    file_ = to_npy(middle_and_factor, 2);
    write(file_, "[0, 1, 4, 16]");
  }

  void write(const std::string& file, const std::string& distances) {
    world_.write("test/far.npy", file);
    world_.write("test/fitted.json",
                 R"({"format": 1, "branches": {"a": [{"spaces": {"a": "binary"}, "temperature": 1,
                 "out_of_domain": {"file": "far.npy", "digest": ")" +
                     sha256(file_) + R"(", "distances": )" + distances + "}}]}}");
  }

  static std::string yaml(const std::string& domain) {
    return "name: test\ndecision: {classes: [yes, no]}\n"
           "inputs: {left: {modality: number}, right: {modality: number}}\n"
           "branches:\n  a: {inputs: [left], variants: [binary]" +
           domain +
           "}\n  b: {inputs: [right], variants: [binary]}\n"
           "fusion: {decision: {op: mean, inputs: [a, b]}}\n";
  }

  Decision decide(const std::string& left) {
    const auto decision = world_.engine->decide(request_of({{"left", left}, {"right", "0.2"}}));
    EXPECT_TRUE(decision.has_value()) << decision.error().describe();
    return decision.has_value() ? *decision : Decision{};
  }

  std::uint64_t counted() {
    return world_.metrics
        .counter("braid_branch_out_of_domain_total", "", {{"branch", "a"}, {"pipeline", "test"}})
        .value();
  }

  ManualClock clock_;
  FakeWorld world_{clock_};
  std::string file_;
};

// 0.7 lies at d² = 4, beyond two of three steps; 3 beyond all.
TEST_F(DomainWorld, IsReportedAndCounted) {
  const auto published = world_.publish(yaml(""));
  ASSERT_TRUE(published.has_value()) << published.error().describe();
  const Decision inside = decide("0.7");
  ASSERT_EQ(inside.out_of_domain.size(), 1U) << "nothing was fitted for b";
  EXPECT_EQ(inside.out_of_domain[0].branch, "a");
  EXPECT_NEAR(inside.out_of_domain[0].score, 2.0 / 3, 1e-5);
  EXPECT_FALSE(inside.out_of_domain[0].flagged);
  EXPECT_EQ(counted(), 0U);

  const Decision outside = decide("3");
  EXPECT_TRUE(outside.out_of_domain[0].flagged);
  EXPECT_TRUE(outside.degraded.empty());
  EXPECT_EQ(out_of_domain_json(outside).dump(), R"({"a":{"score":1,"flagged":true}})");
  EXPECT_EQ(counted(), 1U);
}

TEST_F(DomainWorld, MayMakeABranchAbsent) {
  const auto published = world_.publish(yaml(", out_of_domain: {above: 0.9, absent: true}"));
  ASSERT_TRUE(published.has_value()) << published.error().describe();
  EXPECT_TRUE(decide("0.7").degraded.empty());
  const Decision outside = decide("3");
  EXPECT_NEAR(outside.confidence, 0.8, 1e-6) << "what is left is b";
  ASSERT_EQ(outside.degraded.size(), 1U);
  EXPECT_EQ(outside.degraded[0].part, "a");
  EXPECT_THAT(outside.degraded[0].reason, HasSubstr("out of domain"));
  EXPECT_TRUE(outside.out_of_domain[0].flagged);
}

TEST_F(DomainWorld, RefusesWhatWasNotFitted) {
  const auto refused = [this](const std::string& cure) {
    const auto loaded = world_.load(yaml(""));
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().code, Code::kInvalidArgument);
    EXPECT_THAT(loaded.error().describe(), HasSubstr(cure));
  };
  write(file_ + "x", "[0, 1]");
  refused("not the file that was fitted");
  write(file_.substr(0, 40), "[0, 1]");
  refused("far.npy");
  write(file_, "[1, 0]");
  refused("no quantiles");
  write(file_, "[1]");
  refused("no quantiles");
  const double wide[] = {0, 0, 1, 1};
  file_ = to_npy(wide, 2);
  write(file_, "[0, 1]");
  refused("1 numbers, but out_of_domain was fitted on 2");
  world_.write("test/fitted.json",
               R"({"format": 1, "branches": {"a": [{"spaces": {"a": "binary"}, "temperature": 1,
               "out_of_domain": {"file": "../far.npy"}}]}})");
  refused("no name of a file beside it");
  EXPECT_FALSE(world_.load(yaml(", out_of_domain: {abov: 0.9}")).has_value());
}

}  // namespace
}  // namespace braid
