#include "serve/pipeline_meter.h"

#include <gtest/gtest.h>

#include "serve/fake_world.h"

namespace braid {
namespace {

constexpr const char* kPipeline = R"(
name: test
decision: {classes: [yes, no]}
inputs: {left: {modality: number}, right: {modality: number}}
branches:
  a: {inputs: [left], variants: [binary]}
  b: {inputs: [right], variants: [fail]}
fusion: {decision: {op: mean, inputs: [a, b]}}
)";

class PipelineMeterTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"binary", "fail"}) {
      world_.add_model(name, name);
    }
    const Result<void> published = world_.publish(kPipeline);
    ASSERT_TRUE(published.has_value()) << published.error().describe();
  }

  const Metrics::Instrument* find(const std::string& family, const Labels& labels) const {
    for (const Metrics::Family& each : world_.metrics.families()) {
      for (const Metrics::Instrument* instrument : each.instruments) {
        if (each.name == family && instrument->labels == labels) {
          return instrument;
        }
      }
    }
    ADD_FAILURE() << "no " << family << " with these labels";
    return nullptr;
  }
  std::uint64_t count(const std::string& family, const Labels& labels) const {
    const Metrics::Instrument* found = find(family, labels);
    return found == nullptr ? 0 : found->counter->value();
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
};

std::uint64_t total(const Histogram& histogram) {
  std::uint64_t sum = 0;
  for (const std::uint64_t each : histogram.counts()) {
    sum += each;
  }
  return sum;
}

// left = 0.75 makes branch a say [0.75, 0.25]; branch b fails, or is not there; so the answer is
// "yes" at 0.75, whose entropy in bits is 0.811.
TEST_F(PipelineMeterTest, CountsAnswersEdgesAndWhatTheyLacked) {
  ASSERT_TRUE(world_.engine->decide(request_of({{"left", "0.75"}, {"right", "0.5"}})).has_value());
  ASSERT_TRUE(world_.engine->decide(request_of({{"left", "0.75"}})).has_value());

  const auto edge = [&](const char* branch, const char* variant, const char* outcome) {
    return count("braid_edge_parts_total", {{"branch", branch},
                                            {"into", "decision"},
                                            {"pipeline", "test"},
                                            {"variant", variant},
                                            {"outcome", outcome}});
  };
  EXPECT_EQ(edge("a", "binary", "present"), 2U);
  EXPECT_EQ(edge("b", "fail", "internal"), 1U);
  EXPECT_EQ(edge("b", "fail", "present"), 0U);

  const auto lacked = [&](const char* part, const char* reason) {
    return count("braid_pipeline_degraded_parts_total",
                 {{"part", part}, {"pipeline", "test"}, {"reason", reason}});
  };
  EXPECT_EQ(lacked("right", "absent"), 1U);
  EXPECT_EQ(lacked("b", "failed"), 1U);
  EXPECT_EQ(lacked("a", "failed"), 0U);

  EXPECT_EQ(count("braid_pipeline_degraded_total", {{"pipeline", "test"}}), 2U);
  EXPECT_EQ(count("braid_pipeline_requests_total", {{"outcome", "answered"}, {"pipeline", "test"}}),
            2U);
  const Histogram& confidence =
      *find("braid_pipeline_confidence", {{"pipeline", "test"}})->histogram;
  EXPECT_EQ(total(confidence), 2U);
  EXPECT_NEAR(confidence.sum(), 1.5, 1e-6);
  EXPECT_NEAR(find("braid_pipeline_uncertainty", {{"pipeline", "test"}})->histogram->sum(),
              2 * 0.811278, 1e-5);
}

TEST_F(PipelineMeterTest, CountsRefusalsAsFailures) {
  ASSERT_FALSE(world_.engine->decide(request_of({{"zebra", "1"}})).has_value());
  EXPECT_EQ(count("braid_pipeline_requests_total", {{"outcome", "failed"}, {"pipeline", "test"}}),
            1U);
}

// Every edge is on the page from the start: a rate over a series that appears with its first
// failure misses that failure.
TEST_F(PipelineMeterTest, MakesAllSeriesWhenThePipelineIsPublished) {
  std::size_t edges = 0;
  for (const Metrics::Family& each : world_.metrics.families()) {
    edges += each.name == "braid_edge_parts_total" ? each.instruments.size() : 0;
  }
  EXPECT_EQ(edges, 2U * 10U);
}

TEST(ToLabel, NamesEveryCode) {
  EXPECT_STREQ(to_label(Code::kInvalidArgument), "invalid_argument");
  EXPECT_STREQ(to_label(Code::kDeadlineExceeded), "deadline_exceeded");
  EXPECT_STREQ(to_label(Code::kInternal), "internal");
}

}  // namespace
}  // namespace braid
