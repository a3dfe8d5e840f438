#include "learn/fit_config.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* kSmallest =
    "name: shop\n"
    "manifest: products.csv\n"
    "models: encoders\n"
    "inputs:\n"
    "  title: {modality: text, vocab: vocab.txt}\n"
    "branches:\n"
    "  text: {inputs: [title], variants: [minilm]}\n";

Result<FitConfig> read(const std::string& yaml) {
  const TestFolder folder;
  const auto file = folder / "here" / "FIT.yaml";
  BRAID_CHECK(write_file(file, yaml).has_value());
  return read_fit_config(file);
}

std::string complaint(const std::string& yaml) {
  const auto config = read(yaml);
  return config.has_value() ? "none" : config.error().describe();
}

TEST(FitConfig, SevenLinesAreEnough) {
  const auto config = read(kSmallest);

  ASSERT_TRUE(config.has_value()) << config.error().describe();
  EXPECT_THAT(config->manifest.string(), EndsWith("here/products.csv"));
  EXPECT_THAT(config->repository.string(), EndsWith("here/repository"));
  EXPECT_EQ(config->pipeline.branches[0].variants[0].model, "minilm");
  EXPECT_EQ(config->options.folds, 4U);
  EXPECT_FALSE(config->policy.has_value());
}

TEST(FitConfig, AForestIsAVariantThatIsTrained) {
  const auto config = read(std::string(kSmallest) +
                           "  record: {inputs: [title], variants: [{fit: xgboost, rounds: 7}]}\n");

  ASSERT_TRUE(config.has_value()) << config.error().describe();
  EXPECT_EQ(config->pipeline.branches[1].variants[0].model, "shop_record_forest");
  EXPECT_EQ(config->forests.at("shop_record_forest").rounds, 7U);
}

TEST(FitConfig, AutomaticStepsAreLikeNoPolicyAtAll) {
  EXPECT_FALSE(
      read(std::string(kSmallest) + "policy: {kind: cascade, steps: auto}\n")->policy.has_value());
  EXPECT_TRUE(read(std::string(kSmallest) + "policy: {kind: fixed}\n")->policy.has_value());
}

TEST(FitConfig, ReadsWhatAFitMayBeTold) {
  const auto config = read(std::string(kSmallest) +
                           "fit: {folds: 3, seed: 5, strength: 2.5, dropout: 0, splits: [train], "
                           "components: {text: 20}}\n");

  ASSERT_TRUE(config.has_value()) << config.error().describe();
  EXPECT_EQ(config->options.folds, 3U);
  EXPECT_EQ(config->options.strength, 2.5);
  EXPECT_EQ(config->options.components.at("text"), 20U);
  EXPECT_THAT(config->options.splits, ElementsAre("train"));
}

TEST(FitConfig, MistakesHaveFileLineAndCure) {
  const std::string smallest = kSmallest;
  EXPECT_THAT(complaint(smallest + "fit: {fold: 3}\n"),
              testing::AllOf(HasSubstr("FIT.yaml:8"), HasSubstr("folds")));
  EXPECT_THAT(complaint(smallest + "fit: {components: {image: 3}}\n"), HasSubstr("FIT.yaml:8"));
  EXPECT_THAT(complaint(smallest + "fusion: {a: {op: model, model: x, inputs: [text]}}\n"),
              HasSubstr("makes the heads"));
  EXPECT_THAT(complaint(smallest + "fusion: {a: {op: concat, inputs: [text]}}\n"),
              HasSubstr("FIT.yaml:8"));
  EXPECT_THAT(complaint("name: shop\n"), HasSubstr("manifest"));
  EXPECT_THAT(complaint(smallest + "  more: {inputs: [title], variants: []}\n"),
              HasSubstr("list at least one"));
  EXPECT_THAT(complaint(smallest + "  more: {inputs: [title], variants: [{fit: magic}]}\n"),
              HasSubstr("FIT.yaml:8"));
}

}  // namespace
}  // namespace braid
