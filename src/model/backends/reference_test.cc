#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "model/model.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Result<std::unique_ptr<Model>> open(std::string_view text) {
  const TestFolder folder;
  const std::filesystem::path file = folder / "model.reference.yaml";
  EXPECT_TRUE(write_file(file, text).has_value());
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return (*registry.make("reference", {}))->open({file, {}});
}

/// The answer of a model to rows of a given width.
Result<RowResults> run(std::string_view text, std::size_t width, std::vector<float> values) {
  Batch batch;
  batch.row_count = values.size() / width;
  batch.inputs.push_back({"x", *Tensor::from(Shape{batch.row_count, width}, values)});
  return (*open(text))->run(batch);
}

std::vector<float> floats(const RowResults& results) {
  const std::span<const float> values = results.outputs.at(0).tensor.values<float>();
  return {values.begin(), values.end()};
}

// By hand: 1·2 + 2·3 + 10 = 18 and 1·0 + 2·(-1) + 0.5 = -1.5.
TEST(Reference, MultipliesByItsWeights) {
  const auto results =
      run("{kind: linear, weights: [[2, 0], [3, -1]], bias: [10, 0.5]}", 2, {1, 2});
  EXPECT_EQ(floats(*results), (std::vector<float>{18, -1.5F}));
}

TEST(Reference, FailsTheRowOrTheBatchThatHasTheValue) {
  const auto rows = run("{kind: fail_row, value: 7, width: 2}", 2, {1, 7, 7, 1, 3, 3});
  ASSERT_EQ(rows->failures.size(), 1U);
  EXPECT_EQ(rows->failures.begin()->first, 1U);
  EXPECT_EQ(floats(*rows), (std::vector<float>{1, 7, 7, 1, 3, 3}));

  EXPECT_TRUE(run("{kind: fail_batch, value: 7}", 1, {1, 2}).has_value());
  EXPECT_EQ(run("{kind: fail_batch, value: 7}", 1, {1, 7}).error().code, Code::kInvalidArgument);
}

TEST(Reference, GivesBackItsInput) {
  EXPECT_EQ(floats(*run("kind: identity", 1, {4, 5})), (std::vector<float>{4, 5}));
  EXPECT_EQ(floats(*run("{kind: slow, steps: 1000}", 1, {4, 5})), (std::vector<float>{4, 5}));
}

TEST(Reference, TellsItsNamesAndMetadata) {
  const auto model = open(
      "{kind: identity, width: 3, input: image.embedding, output: logits, "
      "rows_max: 4, metadata: {braid.space.image: small}}");
  EXPECT_EQ(to_string((*model)->spec().inputs.at(0)), "image.embedding FP32 [-1, 3]");
  EXPECT_EQ(to_string((*model)->spec().outputs.at(0)), "logits FP32 [-1, 3]");
  EXPECT_EQ((*model)->spec().rows_max, 4U);
  EXPECT_EQ((*model)->spec().metadata.at("braid.space.image"), "small");
}

TEST(Reference, NamesTheLineThatIsWrong) {
  EXPECT_THAT(open("kind: identity\nwidht: 3").error().message,
              testing::AllOf(HasSubstr("model.reference.yaml:2"), HasSubstr("'width'")));
  EXPECT_THAT(open("kind: conv").error().message, HasSubstr("'conv' is none of"));
  EXPECT_THAT(open("kind: linear").error().message, HasSubstr("weights"));
  EXPECT_THAT(open("kind: linear\nweights: [[1, 2],\n [3]]").error().message, HasSubstr(":3"));
}

}  // namespace
}  // namespace braid
