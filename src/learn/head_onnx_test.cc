#include "learn/head_onnx.h"

#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "model/model.h"

namespace braid {
namespace {

using testing::FloatEq;
using testing::Pointwise;

const float kNan = std::numeric_limits<float>::quiet_NaN();

Matrix matrix(std::size_t width, std::vector<double> values) {
  Matrix result(values.size() / width, width);
  result.values = std::move(values);
  return result;
}

/// Two classes; image is 2 wide, record 1.
Head some_head() {
  return {{{{0, 0}, matrix(2, {1, 0, 0, 2}), {0.5, 0}}, {{7}, matrix(2, {3, -3}), {0, 0.25}}},
          {0.125, -0.125}};
}

class HeadOnnxTest : public testing::Test {
 protected:
  HeadOnnxTest() {
    register_model_backends(backends_);
    const std::string bytes =
        *write_head(some_head(), {{"image", "effnet", false}, {"record", "features", true}});
    EXPECT_TRUE(write_file(file_, bytes).has_value());
    auto opened = (*backends_.make("onnxruntime_onnx", {}))->open({file_, {}});
    EXPECT_TRUE(opened.has_value()) << opened.error().describe();
    model_ = *std::move(opened);
  }

  std::vector<float> logits(std::vector<float> image, float image_present,
                            std::vector<float> record, float record_present) const {
    Batch batch{{}, 1};
    const auto add = [&batch](const std::string& name, const std::vector<float>& values) {
      batch.inputs.push_back({name, *Tensor::from(Shape{1, values.size()}, values)});
    };
    add("image.embedding", image);
    add("image.present", {image_present});
    add("record.embedding", record);
    add("record.present", {record_present});
    const auto results = model_->run(batch);
    EXPECT_TRUE(results.has_value()) << results.error().describe();
    const auto values = find_tensor(results->outputs, "logits")->values<float>();
    return {values.begin(), values.end()};
  }

  const TestFolder folder_;
  const std::filesystem::path file_ = folder_ / "head.onnx";
  Registry<Backend> backends_{"model runtime"};
  std::unique_ptr<Model> model_;
};

// By hand: [4 · 1 + 0.5, 5 · 2] + [2 · 3, 2 · -3 + 0.25] + [0.125, -0.125].
TEST_F(HeadOnnxTest, SumsTheSharesOfItsParts) {
  EXPECT_THAT(logits({4, 5}, 1, {2}, 1), Pointwise(FloatEq(), {10.625F, 4.125F}));
}

TEST_F(HeadOnnxTest, LeavesAbsentPartsOut) {
  EXPECT_THAT(logits({4, 5}, 1, {2}, 0), Pointwise(FloatEq(), {4.625F, 9.875F}));
  EXPECT_THAT(logits({4, 5}, 0, {2}, 1), Pointwise(FloatEq(), {6.125F, -5.875F}));
}

// What an absent part's numbers are must not matter, even when they are none.
TEST_F(HeadOnnxTest, IgnoresNanInAnAbsentPart) {
  EXPECT_THAT(logits({kNan, kNan}, 0, {2}, 1), Pointwise(FloatEq(), {6.125F, -5.875F}));
}

// 7 is the mean of the record's column: [7 · 3, 7 · -3 + 0.25] + [0.125, -0.125].
TEST_F(HeadOnnxTest, FillsMissingCells) {
  EXPECT_THAT(logits({0, 0}, 0, {kNan}, 1), Pointwise(FloatEq(), {21.125F, -20.875F}));
}

TEST_F(HeadOnnxTest, NamesItsSpaces) {
  EXPECT_EQ(model_->spec().metadata.at("braid.space.image"), "effnet");
  EXPECT_EQ(model_->spec().metadata.at("braid.space.record"), "features");
}

}  // namespace
}  // namespace braid
