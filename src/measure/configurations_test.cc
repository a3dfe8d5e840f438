#include "measure/configurations.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/fake_pipeline.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys(const Configurations& found) {
  std::vector<std::string> keys;
  std::ranges::transform(found.all, std::back_inserter(keys), &Configuration::key);
  return keys;
}

const Configuration& named(const Configurations& found, const std::string& key) {
  return *std::ranges::find(found.all, key, &Configuration::key);
}

TEST(Configurations, AreFoundInTheStructure) {
  const auto found = find_configurations(fake_pipeline());
  ASSERT_TRUE(found.has_value()) << found.error().describe();
  EXPECT_THAT(keys(*found),
              ElementsAre("single_photo", "single_title", "single_record", "early", "late",
                          "hybrid", "without_photo", "without_title", "without_record", "policy"));
  EXPECT_THAT(found->notes, ElementsAre());

  const Configuration& single = named(*found, "single_photo");
  EXPECT_THAT(single.inputs, ElementsAre("photo"));
  EXPECT_EQ(single.answer_node, "image_head");
  EXPECT_EQ(named(*found, "single_record").answer_node, "profile");  // the branch classifies itself
  EXPECT_EQ(named(*found, "early").answer_node, "joint");            // wider than `pair`
  EXPECT_EQ(named(*found, "late").answer_node, "votes");             // `decision` joins joint heads
  EXPECT_THAT(named(*found, "without_title").inputs, ElementsAre("photo", "record"));
}

// Rows differ in one thing only, so all but the policy's run the same plan: the full one, which
// comes last.
TEST(Configurations, RunTheFullPlanUnlessThePolicyIsMeant) {
  const auto found = *find_configurations(fake_pipeline(), {.plans = {"level1"}});
  for (const Configuration& each : found.all) {
    const std::optional<std::string> plan = each.kind == Configuration::Kind::kPolicy ? std::nullopt
                                            : each.kind == Configuration::Kind::kPlan
                                                ? std::optional<std::string>("level1")
                                                : "full";
    EXPECT_EQ(each.plan, plan) << each.key;
  }
}

TEST(Configurations, LeaveOutSeveralInputsAtOnce) {
  const auto found = *find_configurations(fake_pipeline(), {.without = {"photo,title"}});
  EXPECT_THAT(named(found, "without_photo_title").inputs, ElementsAre("record"));
  EXPECT_EQ(std::ranges::count(found.all, Configuration::Kind::kWithout, &Configuration::kind), 1);
}

/// A photo, and two inputs that only one branch takes; the second is of the given modality.
PipelineConfig with_voices(const char* second_voice) {
  const std::string text = std::string(R"(
name: shop
decision: {classes: [cat, dog]}
inputs:
  photo: {modality: image}
  french: {modality: audio}
  catalan: {modality: )") + second_voice +
                           R"(}
branches:
  image: {inputs: [photo], variants: [large]}
  voices: {inputs: [french, catalan], variants: [both]}
fusion:
  image_head: {op: model, model: image_probe, inputs: [image]}
  voices_head: {op: model, model: voices_probe, inputs: [voices]}
  joint: {op: model, model: joint_head, inputs: [image, voices]}
  votes: {op: weighted_vote, inputs: [image_head, voices_head]}
  decision: {op: weighted_vote, inputs: [joint, votes]}
)";
  return *parse_pipeline(*Yaml::parse(text, "pipeline.yaml"), ".");
}

// Several recordings that one branch takes together are one modality, not early fusion of many.
TEST(Configurations, TakeInputsOfOneKindAndBranchAsOneModality) {
  const auto found = *find_configurations(with_voices("audio"), {.without = {"photo", "voices"}});
  EXPECT_THAT(keys(found), ElementsAre("single_photo", "single_voices", "early", "late", "hybrid",
                                       "without_photo", "without_voices"));
  EXPECT_THAT(named(found, "single_voices").inputs, ElementsAre("catalan", "french"));
  EXPECT_EQ(named(found, "single_voices").answer_node, "voices_head");
  EXPECT_EQ(named(found, "early").answer_node, "joint");
  EXPECT_EQ(named(found, "late").answer_node, "votes");
  EXPECT_THAT(named(found, "without_voices").inputs, ElementsAre("photo"));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("one plan")));
}

TEST(Configurations, TakeInputsOfTwoKindsAsEarlyFusion) {
  const auto found = *find_configurations(with_voices("text"));
  EXPECT_THAT(keys(found), testing::Not(testing::Contains("single_voices")));
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("nothing answers from 'french' alone")));
}

TEST(Configurations, SayWhatIsNotThereAndTheCure) {
  const char* text =
      "{name: p, decision: {classes: [a, b]}, inputs: {x: {modality: text}, y: {modality: text}}, "
      "branches: {bx: {inputs: [x], variants: [mx]}, by: {inputs: [y], variants: [my]}}}";
  const auto pipeline = *parse_pipeline(*Yaml::parse(text, "p"), ".");
  const auto found = *find_configurations(pipeline);
  EXPECT_EQ(named(found, "late").answer_node, "decision");  // the node that parse_pipeline adds
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("no learned head"), HasSubstr("one plan")));
}

TEST(Configurations, RefuseNamesThatThePipelineDoesNotHave) {
  const ConfigurationOptions wrong[] = {{.full_plan = "fuller"},
                                        {.early = "joined"},
                                        {.late = "voted"},
                                        {.without = {"photo,titel"}},
                                        {.plans = {"level9"}}};
  for (const ConfigurationOptions& options : wrong) {
    EXPECT_EQ(find_configurations(fake_pipeline(), options).error().code, Code::kNotFound);
  }
}

}  // namespace
}  // namespace braid
