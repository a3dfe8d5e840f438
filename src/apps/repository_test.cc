#include "apps/repository.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class RepositoryTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "a");
    fs::create_directories(folder_ / "b");
  }

  void add_model(const char* repository, const char* name) {
    fs::create_directories(folder_ / repository / name / "1");
  }
  void add_pipeline(const char* repository, const char* name) {
    fs::create_directories(folder_ / repository / name);
    std::ofstream(folder_ / repository / name / "pipeline.yaml") << "name: x\n";
  }
  auto open(std::optional<std::vector<std::string>> names = std::nullopt) {
    return OpenRepository::open(
        {.folders = {folder_ / "a", folder_ / "b"}, .slot_count = 1, .names = std::move(names)});
  }

  const TestFolder folder_;
};

TEST_F(RepositoryTest, ANameServesOnce) {
  add_model("a", "mlp");
  add_model("b", "other");
  EXPECT_TRUE(open().has_value());  // they cannot be loaded, but that is another matter
  add_pipeline("b", "mlp");
  const auto twice = open();
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().code, Code::kInvalidArgument);
  EXPECT_THAT(twice.error().describe(), HasSubstr("'mlp' is in the repositories"));
  EXPECT_FALSE(open(std::vector<std::string>()).has_value());
}

TEST_F(RepositoryTest, NothingIsEnoughOnlyWhenNothingIsWanted) {
  const auto all = open();
  ASSERT_FALSE(all.has_value());
  EXPECT_THAT(all.error().describe(), HasSubstr("holds neither a model"));
  EXPECT_THAT(all.error().describe(), HasSubstr("--model-control-mode explicit"));
  EXPECT_TRUE(open(std::vector<std::string>()).has_value());
}

}  // namespace
}  // namespace braid
