#include "base/file.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/test_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  std::size_t files_in(const fs::path& folder) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const TestFolder own_;
  const fs::path& folder_ = own_.path();
};

TEST_F(FileTest, ComesBackAsItWasWritten) {
  const std::string bytes("a\0b\r\n\xFF", 6);
  ASSERT_TRUE(write_file(folder_ / "new/folder/f", bytes).has_value());
  EXPECT_EQ(*read_file(folder_ / "new/folder/f"), bytes);
  ASSERT_TRUE(write_file(folder_ / "new/folder/f", "").has_value());
  EXPECT_EQ(*read_file(folder_ / "new/folder/f"), "");
  EXPECT_EQ(files_in(folder_ / "new/folder"), 1U);  // nothing of the writing is left
}

TEST_F(FileTest, NamesWhatCannotBeRead) {
  const Error missing = read_file(folder_ / "none").error();
  EXPECT_EQ(missing.code, Code::kNotFound);
  EXPECT_THAT(missing.describe(), HasSubstr("none"));
  fs::create_directories(folder_ / "d");
  EXPECT_EQ(read_file(folder_ / "d").error().code, Code::kUnavailable);
}

TEST_F(FileTest, RefusesAFileAboveItsLimit) {
  ASSERT_TRUE(write_file(folder_ / "f", std::string(100, 'x')).has_value());
  EXPECT_TRUE(read_file(folder_ / "f", 100).has_value());
  EXPECT_EQ(read_file(folder_ / "f", 99).error().code, Code::kExhausted);
}

// Reading /proc says a size of 0, and its files are read nevertheless.
TEST_F(FileTest, ReadsFilesThatDoNotTellTheirSize) {
  EXPECT_FALSE(read_file("/proc/self/status")->empty());
}

// A limit on file size stands for a full disk: what was there stays whole.
TEST_F(FileTest, AWriteThatFailsLeavesTheOldFile) {
  ASSERT_TRUE(write_file(folder_ / "f", "old").has_value());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> written = write_file(folder_ / "f", std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  EXPECT_FALSE(written.has_value());
  EXPECT_EQ(*read_file(folder_ / "f"), "old");
  EXPECT_EQ(files_in(folder_), 1U);
}

}  // namespace
}  // namespace braid
