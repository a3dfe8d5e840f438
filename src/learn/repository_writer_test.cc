#include "learn/repository_writer.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RepositoryWriterTest : public testing::Test {
 protected:
  RepositoryWriter begun() const {
    auto writer = RepositoryWriter::begin(target_, "shop");
    EXPECT_TRUE(writer.has_value()) << writer.error().describe();
    return *std::move(writer);
  }

  /// What a fit writes, with one head.
  void publish(const std::string& head) const {
    RepositoryWriter writer = begun();
    EXPECT_TRUE(writer.add_model(head, "model.onnx", head).has_value());
    EXPECT_TRUE(writer.add_pipeline_file("pipeline.yaml", "name: shop\n").has_value());
    const std::string fitted =
        "{\"format\": 1, \"data\": {\"wrote\": [\"shop\", \"" + head + "\"]}}";
    EXPECT_TRUE(writer.add_pipeline_file("fitted.json", fitted).has_value());
    const auto published = writer.publish();
    EXPECT_TRUE(published.has_value()) << published.error().describe();
  }

  const TestFolder own_;
  const fs::path& folder_ = own_.path();
  const fs::path target_ = folder_ / "repository";
};

TEST_F(RepositoryWriterTest, AppearsWholeOrNotAtAll) {
  {
    RepositoryWriter writer = begun();
    EXPECT_TRUE(writer.add_model("head", "model.onnx", "bytes").has_value());
    EXPECT_FALSE(fs::exists(target_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));  // given up: nothing is left

  publish("head");

  EXPECT_EQ(*read_file(target_ / "head" / "1" / "model.onnx"), "head");
}

TEST_F(RepositoryWriterTest, ReplacesWhatAnEarlierFitWrote) {
  publish("old_head");

  publish("new_head");

  EXPECT_FALSE(fs::exists(target_ / "old_head"));
  EXPECT_TRUE(fs::exists(target_ / "new_head"));
  EXPECT_FALSE(fs::exists(folder_ / "repository.partial"));
}

// Somebody put a model of their own beside the heads; a fit must not take it away.
TEST_F(RepositoryWriterTest, RefusesToLoseForeignFiles) {
  publish("head");
  fs::create_directories(target_ / "theirs" / "1");

  const auto writer = RepositoryWriter::begin(target_, "shop");

  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, Code::kInvalidArgument);
  EXPECT_THAT(writer.error().message, HasSubstr("'theirs'"));
  EXPECT_TRUE(fs::exists(target_ / "theirs"));
}

TEST_F(RepositoryWriterTest, RefusesTwoModelsOfOneName) {
  RepositoryWriter writer = begun();
  EXPECT_TRUE(writer.add_model("head", "model.onnx", "a").has_value());

  EXPECT_FALSE(writer.add_model("head", "model.onnx", "b").has_value());
}

TEST_F(RepositoryWriterTest, TakesAnEncoderWithTheFilesBesideIt) {
  const fs::path model = folder_ / "encoders" / "enc";
  ASSERT_TRUE(write_file(model / "3" / "model.onnx", "network").has_value());
  ASSERT_TRUE(write_file(model / "2" / "model.onnx", "older").has_value());
  ASSERT_TRUE(write_file(model / "config.pbtxt", "name: \"enc\"").has_value());
  LoadedModel loaded;
  loaded.name = "enc";
  loaded.version = 3;
  loaded.file = model / "3" / "model.onnx";
  RepositoryWriter writer = begun();

  ASSERT_TRUE(writer.add_encoder(loaded).has_value());
  ASSERT_TRUE(writer.add_encoder(loaded).has_value());  // two variants may share it
  ASSERT_TRUE(writer.publish().has_value());

  EXPECT_EQ(*read_file(target_ / "enc" / "3" / "model.onnx"), "network");
  EXPECT_EQ(*read_file(target_ / "enc" / "config.pbtxt"), "name: \"enc\"");
  EXPECT_FALSE(fs::exists(target_ / "enc" / "2"));
}

}  // namespace
}  // namespace braid
