// Models and golden numbers of tests/data/model/xgboost are XGBoost 3.2.0's own, written by
// tools/oracles/model_xgboost.py.

#include <array>
#include <cmath>
#include <limits>
#include <thread>

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

const fs::path kFolder = "tests/data/model/xgboost";

Result<std::unique_ptr<Model>> open_file(const fs::path& file) {
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return (*registry.make("xgboost", {}))->open({file, {}});
}

std::unique_ptr<Model> open(const std::string& name) { return *open_file(kFolder / name); }

/// A model of the folder with each `from` in its text replaced, opened from a file of its own.
Result<std::unique_ptr<Model>> open_changed(const std::string& name, std::string_view from,
                                            std::string_view to) {
  std::string text = *read_file(kFolder / name);
  EXPECT_NE(text.find(from), text.npos) << from;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  const TestFolder folder;
  EXPECT_TRUE(write_file(folder / name, text).has_value());
  return open_file(folder / name);
}

Tensor golden(const std::string& name, const char* what) {
  const Json all = *Json::parse(*read_file(kFolder / "golden.json"));
  std::vector<float> values;
  const Json::List& rows = *all.find(name)->find(what)->list();
  for (const Json& row : rows) {
    for (const Json& value : *row.list()) {
      values.push_back(value.is_null() ? std::numeric_limits<float>::quiet_NaN()
                                       : static_cast<float>(value.number()));
    }
  }
  return *Tensor::from(Shape{rows.size(), values.size() / rows.size()}, values);
}

Batch features(Tensor rows) {
  Batch batch;
  batch.row_count = rows.row_count();
  batch.inputs.push_back({"features", std::move(rows)});
  return batch;
}

/// In runs of as many rows as the model takes.
std::vector<float> predict(const Model& model, const std::string& name) {
  const Tensor rows = golden(name, "rows");
  std::vector<float> answers;
  for (std::size_t begin = 0; begin < rows.row_count(); begin += model.spec().rows_max) {
    const std::size_t count = std::min(model.spec().rows_max, rows.row_count() - begin);
    const std::size_t width = rows.shape()[1];
    const RowResults results = *model.run(features(*Tensor::from<float>(
        Shape{count, width}, rows.values<float>().subspan(begin * width, count * width))));
    const std::span<const float> said = results.outputs.at(0).tensor.values<float>();
    answers.insert(answers.end(), said.begin(), said.end());
  }
  return answers;
}

/// The library's own numbers, where it is the same sum in the same order.
auto same_as(const std::string& name) {
  const Tensor answers = golden(name, "answers");
  const std::span<const float> values = answers.values<float>();
  return testing::Pointwise(testing::FloatNear(1e-6F),
                            std::vector<float>(values.begin(), values.end()));
}

/// One probability p of the second class, as the golden numbers are, from our pairs.
std::vector<float> seconds(const std::vector<float>& pairs) {
  std::vector<float> seconds;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    EXPECT_NEAR(pairs[i] + pairs[i + 1], 1, 1e-6);
    seconds.push_back(pairs[i + 1]);
  }
  return seconds;
}

// Rows with a missing number and with 0 in its place are among them: they are not the same.
// base_score is 0.3, in the brackets of 3.1: a library that overlooks it is off by a constant.
TEST(Xgboost, PredictsTwoClasses) {
  const std::unique_ptr<Model> model = open("binary.json");
  EXPECT_EQ(to_string(model->spec().inputs.at(0)), "features FP32 [-1, 4]");
  EXPECT_EQ(to_string(model->spec().outputs.at(0)), "probabilities FP32 [-1, 2]");
  EXPECT_THAT(seconds(predict(*model, "binary.json")), same_as("binary.json"));
  EXPECT_THAT(seconds(predict(*open("logitraw.json"), "logitraw.json")), same_as("logitraw.json"));
}

TEST(Xgboost, PredictsSeveralClasses) {
  const std::unique_ptr<Model> model = open("multi.ubj");
  EXPECT_EQ(to_string(model->spec().outputs.at(0)), "probabilities FP32 [-1, 3]");
  EXPECT_EQ(model->spec().metadata.at("objective"), "multi:softprob");
  EXPECT_THAT(predict(*model, "multi.ubj"), same_as("multi.ubj"));
  EXPECT_THAT(predict(*open("softmax.json"), "softmax.json"), same_as("softmax.json"));
}

// One row below, on and above each threshold: `<` and `<=` differ only there.
TEST(Xgboost, TakesTheSameBranchOnAThreshold) {
  const std::unique_ptr<Model> model = open("regression.json");
  EXPECT_EQ(to_string(model->spec().outputs.at(0)), "output FP32 [-1, 1]");
  EXPECT_THAT(predict(*model, "regression.json"), same_as("regression.json"));
}

TEST(Xgboost, PredictsNumbersOfOtherForests) {
  for (const char* name : {"dart.json", "two_targets.json", "poisson.ubj"}) {
    EXPECT_THAT(predict(*open(name), name), same_as(name)) << name;
  }
}

// A code that was never seen and a missing one are among them.
TEST(Xgboost, PredictsFromCategories) {
  EXPECT_THAT(seconds(predict(*open("categorical.ubj"), "categorical.ubj")),
              same_as("categorical.ubj"));
}

TEST(Xgboost, ReadsABaseScoreWithoutBrackets) {
  const auto older = open_changed("binary.json", "\"[3E-1]\"", "\"3E-1\"");
  EXPECT_THAT(seconds(predict(**older, "binary.json")), same_as("binary.json"));
}

TEST(Xgboost, RefusesAFileThatIsNewerThanTheLibrary) {
  const Error error = open_changed("binary.json", "[3,2,0]", "[3,99,0]").error();
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_THAT(error.describe(), testing::AllOf(HasSubstr("binary.json"), HasSubstr("3.99.0"),
                                               HasSubstr("this build has 3.")));
  EXPECT_TRUE(open_changed("binary.json", "[3,2,0]", "[2,1,4]").has_value());
}

TEST(Xgboost, RefusesALinearBooster) {
  EXPECT_EQ(open_file(kFolder / "linear.json").error().code, Code::kUnsupported);
}

TEST(Xgboost, NamesBothColumnCounts) {
  const std::unique_ptr<Model> model = open("binary.json");
  for (const std::size_t columns : {3U, 5U}) {
    const Error error =
        model->run(features(*Tensor::zeros(DType::kFp32, Shape{1, columns}))).error();
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    EXPECT_THAT(error.message, testing::AllOf(HasSubstr(std::to_string(columns) + "] came"),
                                              HasSubstr("[-1, 4]")));
  }
}

// The library keeps predictions in memory of the thread, so threads must not see each other's.
TEST(Xgboost, PredictsFromManyThreadsAtOnce) {
  const std::unique_ptr<Model> model = open("multi.ubj");
  const Tensor rows = golden("multi.ubj", "rows");
  const Tensor answers = golden("multi.ubj", "answers");
  std::array<std::size_t, 4> wrong = {};

  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t run = 0; run < 500; ++run) {
        const std::size_t row = (run * (thread + 1)) % rows.row_count();
        const RowResults results = *model->run(
            features(*Tensor::from<float>(Shape{1, 4}, rows.values<float>().subspan(row * 4, 4))));
        const std::span<const float> said = results.outputs.at(0).tensor.values<float>();
        for (std::size_t i = 0; i < 3; ++i) {
          const float expected = answers.values<float>()[row * 3 + i];
          wrong[thread] += std::abs(said[i] - expected) < 1e-6F ? 0U : 1U;
        }
      }
    });
  }
  threads.clear();

  EXPECT_EQ(wrong, (std::array<std::size_t, 4>{}));
}

// The library follows these numbers without a check.
TEST(Xgboost, RefusesTreesThatLeadNowhere) {
  const std::pair<const char*, const char*> changes[] = {
      {"\"left_children\":[1,", "\"left_children\":[900,"},  // beyond the end
      {"\"left_children\":[1,", "\"left_children\":[0,"},    // a loop
      {"\"left_children\":[1,", "\"left_children\":[-7,"},
      {"\"split_indices\":[", "\"split_indices\":[4,"},  // one too many
      {"\"num_feature\":\"4\"", "\"num_feature\":\"99999999999\""},
      {"\"num_feature\":\"4\"", "\"num_feature\":\"1\""},
      {"\"num_trees\":\"3\"", "\"num_trees\":\"7\""},
      {"\"parents\":[2147483647,0,", "\"parents\":[2147483647,33554432,"},  // found by flips
      {"\"split_type\":[0,", "\"split_type\":[1,"},                         // also
      {"\"tree_info\":[0,0,0]", "\"tree_info\":[0,0,5]"},
  };
  for (const auto& [from, to] : changes) {
    const Error error = open_changed("binary.json", from, to).error();
    EXPECT_EQ(error.code, Code::kInvalidArgument) << to;
    EXPECT_THAT(error.describe(), HasSubstr("binary.json: ")) << to;
    EXPECT_EQ(error.describe().find('\n'), std::string::npos) << error.describe();
  }
}

// Thresholds of huge numbers are infinite in XGBoost's JSON, which is no JSON then.
TEST(Xgboost, ReadsInfiniteThresholds) {
  EXPECT_TRUE(
      open_changed("binary.json", "\"split_conditions\":[", "\"split_conditions\" :[").has_value());
  const std::string text = *read_file(kFolder / "binary.json");
  const std::size_t begin = text.find("\"split_conditions\":[") + 20;
  const std::string first = text.substr(begin - 20, text.find(',', begin) - begin + 20);
  for (const char* number : {"Infinity", "-Infinity", "NaN"}) {
    EXPECT_TRUE(open_changed("binary.json", first, std::string("\"split_conditions\":[") + number)
                    .has_value())
        << number;
  }
}

}  // namespace
}  // namespace braid
