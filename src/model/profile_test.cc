#include "model/profile.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/machine.h"
#include "base/test_folder.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ProfileTest : public testing::Test {
 protected:
  static Profile made(std::string cpu) {
    Profile profile{.cpu = std::move(cpu), .thread_count = 2, .models = {}};
    ModelProfile model{.name = "bert", .version = 3, .runs = {}, .memory_mib = 12.5};
    model.runs = {{1, 1, 20ms}, {1, 8, 150ms}, {2, 1, 11ms}};
    profile.models["abc"] = model;
    return profile;
  }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

TEST_F(ProfileTest, ComesBackAsItWasWritten) {
  ASSERT_TRUE(write_profile(folder_, made(this_machine().cpu)).has_value());
  const Profile profile = *read_profile(folder_);
  EXPECT_EQ(profile.thread_count, 2U);
  const ModelProfile* model = profile.find("abc");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->name, "bert");
  EXPECT_EQ(model->version, 3);
  EXPECT_EQ(model->memory_mib, 12.5);
  EXPECT_EQ(model->find(1, 8)->took, 150ms);
  EXPECT_EQ(model->find(2, 1)->took, 11ms);
  EXPECT_EQ(model->find(2, 8), nullptr);
  EXPECT_EQ(profile.find("of another file"), nullptr);
}

TEST_F(ProfileTest, SaysNothingOfAnotherProcessor) {
  ASSERT_TRUE(write_profile(folder_, made("an abacus")).has_value());
  EXPECT_TRUE(read_profile(folder_)->models.empty());
  std::filesystem::remove(folder_ / kProfileName);
  EXPECT_TRUE(read_profile(folder_)->models.empty());
}

TEST_F(ProfileTest, NamesADamagedFileAndTheCure) {
  ASSERT_TRUE(write_file(folder_ / kProfileName, "{\"cpu\": \"x\", \"threads\": 0}").has_value());
  const Error error = read_profile(folder_).error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_THAT(error.describe(), HasSubstr("profile.json; delete it or run `braid profile` again"));
  EXPECT_THAT(error.describe(), HasSubstr("'threads' is no number from 1 to 4096"));
}

}  // namespace
}  // namespace braid
