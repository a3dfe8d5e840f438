#include "model/xgboost.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"
#include "model/model.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::vector<float> golden(const char* what) {
  const Json all = *Json::parse(*read_file("tests/data/model/xgboost/golden.json"));
  std::vector<float> values;
  for (const Json& row : *all.find("training")->find(what)->list()) {
    for (const Json& value : *row.list()) {
      values.push_back(value.is_null() ? kMissing : static_cast<float>(value.number()));
    }
  }
  return values;
}

std::unique_ptr<Model> open(const std::string& bytes, const char* name) {
  const TestFolder folder;
  EXPECT_TRUE(write_file(folder / name, bytes).has_value());
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return *(*registry.make("xgboost", {}))->open({folder / name, {}});
}

std::vector<float> predict(const Model& model, std::span<const float> rows,
                           std::size_t column_count) {
  std::vector<float> answers;
  for (std::size_t at = 0; at < rows.size(); at += column_count) {
    Batch batch;
    batch.row_count = 1;
    batch.inputs.push_back(
        {"features", *Tensor::from<float>(Shape{1, column_count}, rows.subspan(at, column_count))});
    const RowResults results = *model.run(batch);
    const std::span<const float> said = results.outputs.at(0).tensor.values<float>();
    answers.insert(answers.end(), said.begin(), said.end());
  }
  return answers;
}

// The golden answers are XGBoost's own after the same training from Python.
TEST(XgboostTraining, LearnsWhatXgboostLearns) {
  const std::vector<float> rows = golden("rows");
  const std::vector<float> labels = golden("labels");
  const std::vector<float> weights = golden("weights");
  XgboostTraining training{.column_count = 4, .rows = rows, .labels = labels};
  training.weights = weights;
  training.class_count = 3;
  training.round_count = 10;
  training.depth_max = 3;
  training.learning_rate = 0.2;
  training.l2 = 2;

  for (const bool binary : {false, true}) {
    training.binary = binary;
    const std::unique_ptr<Model> model =
        open(*train_xgboost(training), binary ? "model.ubj" : "model.json");
    EXPECT_THAT(predict(*model, rows, 4),
                testing::Pointwise(testing::FloatNear(1e-5F), golden("answers")));
  }
}

TEST(XgboostTraining, GivesTheSameBytesForTheSameSeed) {
  const std::vector<float> rows = golden("rows");
  const std::vector<float> labels = golden("labels");
  XgboostTraining training{.column_count = 4, .rows = rows, .labels = labels};
  training.class_count = 3;
  training.round_count = 5;
  training.row_share = 0.5;
  const std::string first = *train_xgboost(training);
  EXPECT_EQ(first, *train_xgboost(training));
  training.seed = 1;
  EXPECT_NE(first, *train_xgboost(training));
}

// Codes 1 and 3 against 0 and 2: no single threshold parts them, one set of categories does.
TEST(XgboostTraining, SplitsCategoriesBySet) {
  std::vector<float> rows;
  std::vector<float> labels;
  for (int i = 0; i < 80; ++i) {
    rows.push_back(static_cast<float>(i % 4));
    labels.push_back(static_cast<float>(i % 2));
  }
  XgboostTraining training{.column_count = 1, .rows = rows, .labels = labels};
  training.class_count = 2;
  training.categorical_columns = {0};
  training.column_names = {"colour"};
  training.depth_max = 2;
  training.round_count = 50;
  training.learning_rate = 0.3;

  const std::vector<float> said =
      predict(*open(*train_xgboost(training), "model.json"), std::vector<float>{0, 1, 2, 3}, 1);

  ASSERT_EQ(said.size(), 8U);
  EXPECT_LT(said[1], 0.1);
  EXPECT_GT(said[3], 0.9);
  EXPECT_LT(said[5], 0.1);
  EXPECT_GT(said[7], 0.9);
}

TEST(XgboostTraining, FitsNumbers) {
  const std::vector<float> rows = {0, 1, 2, 3, kMissing, kMissing};
  const std::vector<float> labels = {5, 5, 9, 9, -4, -4};
  XgboostTraining training{.column_count = 1, .rows = rows, .labels = labels};
  training.round_count = 200;
  training.l2 = 0;
  training.child_weight_min = 0;
  const std::vector<float> said = predict(*open(*train_xgboost(training), "model.json"), rows, 1);
  EXPECT_THAT(said, testing::Pointwise(testing::FloatNear(0.05F), labels));
}

TEST(XgboostTraining, RefusesWhatIsNoTable) {
  const std::vector<float> rows = {0, 1, 2, 3};
  const std::vector<float> labels = {0, 1};
  const auto refusal = [&](auto change) {
    XgboostTraining training{.column_count = 2, .rows = rows, .labels = labels};
    training.class_count = 2;
    change(training);
    const Error error = train_xgboost(training).error();
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    return error.message;
  };
  const std::vector<float> bad_labels = {0, 2};
  const std::vector<float> bad_weights = {1, 0};
  const std::vector<float> infinite = {0, 1, INFINITY, 3};
  const std::vector<float> no_codes = {0, 1, 2.5F, 3};
  EXPECT_THAT(refusal([](auto& t) { t.column_count = 3; }), HasSubstr("make no table"));
  EXPECT_THAT(refusal([&](auto& t) { t.labels = bad_labels; }), HasSubstr("label 2 of row 1"));
  EXPECT_THAT(refusal([&](auto& t) { t.weights = bad_weights; }), HasSubstr("weight 0 of row 1"));
  EXPECT_THAT(refusal([&](auto& t) { t.rows = infinite; }), HasSubstr("infinite"));
  EXPECT_THAT(refusal([&](auto& t) {
                t.rows = no_codes;
                t.categorical_columns = {0};
              }),
              HasSubstr("2.5 is no code"));
  EXPECT_THAT(refusal([](auto& t) { t.categorical_columns = {2}; }), HasSubstr("column 2 of 2"));
  EXPECT_THAT(refusal([](auto& t) { t.column_names = {"a"}; }), HasSubstr("1 names for 2"));
}

}  // namespace
}  // namespace braid
