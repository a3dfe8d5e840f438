#include "serve/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_world.h"
#include "serve/fusion_run.h"

namespace braid {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kGood = R"(name: test
decision: {classes: [yes, no]}
inputs:
  left: {modality: number}
  right: {modality: number}
branches:
  a: {inputs: [left], variants: [binary]}
  b: {inputs: [right], variants: [binary]}
fusion:
  decision: {op: mean, inputs: [a, b]}
)";

struct Mistake {
  const char* what;
  const char* from;  // replaced in kGood …
  const char* to;    // … by this
  int line;          // that the message names
  const char* cure;  // that it contains
};

const Mistake kMistakes[] = {
    {"unknown key", "decision: {", "desicion: {", 1, "classes"},
    {"key in a variant", "[binary]}\n  b", "[{modell: binary}]}\n  b", 7, "did you mean 'model'"},
    {"unknown op", "op: mean", "op: meen", 10, "no fusion operator 'meen'"},
    {"unknown modality", "left: {modality: number}", "left: {modality: smell}", 4,
     "no modality 'smell'"},
    {"unknown model", "[left], variants: [binary]", "[left], variants: [binari]", 7, "binari"},
    {"unknown branch", "inputs: [a, b]", "inputs: [a, c]", 10, "no branch or fusion node 'c'"},
    {"unknown input", "inputs: [left]", "inputs: [lift]", 7, "did you mean 'left'"},
    {"unreachable branch", "inputs: [a, b]", "inputs: [a]", 8, "branch 'b' does not reach"},
    {"cycle", "inputs: [a, b]}", "inputs: [a, b, x]}\n  x: {op: mean, inputs: [decision]}", 10,
     "circle"},
    {"two roots", "inputs: [a, b]}", "inputs: [a, b]}\n  x: {op: mean, inputs: [a]}", 1,
     "several nodes"},
    {"too many classes", "[yes, no]", "[yes, no, maybe]", 7, "3 classes"},
    {"one class", "[yes, no]", "[yes]", 2, "two classes"},
    {"idle input", "branches:", "  up: {modality: number}\nbranches:", 6, "feeds no branch"},
    {"head without roles", "op: mean", "op: model, model: binary", 10, "head 'binary' wants x"},
    {"head of other space", "op: mean", "op: model, model: lost_head", 10, "space 'elsewhere'"},
    {"unknown policy", "fusion:", "policy: {kind: oracle}\nfusion:", 9, "no policy 'oracle'"},
    {"unknown plan", "fusion:", "policy: {kind: fixed, plan: best}\nfusion:", 9, "best"},
    {"plan of nothing", "fusion:", "plans: {p: {a: small}}\nfusion:", 9, "no variant 'small'"},
    {"wrong number", "fusion:", "limits: {deadline_ms: soon}\nfusion:", 9,
     "'soon' is not a number"},
};

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.add_model("binary", "binary");
    world_.add_model("head", "sum binary");
    world_.add_model("lost_head", "sum elsewhere");
  }
  ManualClock clock_;
  FakeWorld world_{clock_};
};

TEST_F(PipelineTest, LoadsWhatIsRight) {
  const auto pipeline = world_.load(kGood);
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().describe();
  EXPECT_EQ((*pipeline)->config.plans.size(), 1U);
  EXPECT_EQ((*pipeline)->config.plans.front().name, "full");
}

// Two inputs of one modality give tensors of one name: only the input's name tells them apart.
TEST_F(PipelineTest, FeedsOneModelFromSeveralInputsOfOneModality) {
  std::string yaml = kGood;
  const std::string one = "a: {inputs: [left], variants: [binary]}";
  yaml.replace(yaml.find(one), one.size(),
               "a: {inputs: [right, left], variants: [{model: head, feeds: {a.embedding: left.x, "
               "b.embedding: right, a.present: left, b.present: right.x}}]}");
  const auto pipeline = world_.load(yaml);
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().describe();
  for (const Variant::Feed& feed : (*pipeline)->branches.front().variants.front().feeds) {
    EXPECT_EQ(feed.input_index, feed.model_input.starts_with("a.") ? 0U : 1U) << feed.model_input;
  }
}

TEST_F(PipelineTest, NamesFileLineAndCureOfEachMistake) {
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.what);
    std::string yaml = kGood;
    const std::size_t at = yaml.find(mistake.from);
    ASSERT_NE(at, std::string::npos);
    yaml.replace(at, std::string(mistake.from).size(), mistake.to);
    const auto pipeline = world_.load(yaml);
    ASSERT_FALSE(pipeline.has_value());
    EXPECT_THAT(
        pipeline.error().describe(),
        AllOf(HasSubstr("pipeline.yaml:" + std::to_string(mistake.line)), HasSubstr(mistake.cure)));
  }
}

TEST_F(PipelineTest, RefusesAModelThatChangedUnderItsFit) {
  world_.write("test/fitted.json", R"({"format": 1, "models": {"binary": "0000"}})");
  const auto pipeline = world_.load(kGood);
  ASSERT_FALSE(pipeline.has_value());
  EXPECT_THAT(pipeline.error().describe(), HasSubstr("not the file that this pipeline was fitted"));
}

TEST_F(PipelineTest, RefusesAFitOfOtherClasses) {
  world_.write("test/fitted.json", R"({"format": 1, "classes": ["no", "yes"]})");
  EXPECT_THAT(world_.load(kGood).error().describe(), HasSubstr("other classes"));
}

// A branch that is not at hand does not matter; "" wants it absent; else spaces must agree.
TEST(FitFor, TakesTheFirstThatAgreesWithTheSpacesAtHand) {
  FusionNode node{.config = {.name = "n",
                             .op = "mean",
                             .models = {},
                             .inputs = {},
                             .settings = *Settings::parse("{}")},
                  .fits = {},
                  .branches = {}};
  node.fits.resize(3);
  node.fits[0].spaces = {{"image", ""}};
  node.fits[1].spaces = {{"image", "small"}};
  node.fits[2].spaces = {{"image", "large"}, {"text", "bert"}};
  EXPECT_EQ(fit_for(node, {{"text", "bert"}}), &node.fits[0]);
  EXPECT_EQ(fit_for(node, {{"image", "small"}}), &node.fits[1]);
  EXPECT_EQ(fit_for(node, {{"image", "large"}}), &node.fits[2]);
  EXPECT_EQ(fit_for(node, {{"image", "large"}, {"text", "gpt"}}), nullptr);
}

}  // namespace
}  // namespace braid
