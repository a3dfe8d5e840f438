#include "base/module.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::HasSubstr;

TEST(Module, SaysWhereItLookedAndWhatToDo) {
  const std::vector<std::filesystem::path> folders = {"/nowhere/a", "/nowhere/b"};
  const auto module = Module::open_in("absent", folders);
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().code, Code::kUnsupported);
  const std::string text = module.error().describe();
  EXPECT_THAT(text, HasSubstr("/nowhere/a/libbraid_absent.so"));
  EXPECT_THAT(text, HasSubstr("/nowhere/b/libbraid_absent.so"));
  EXPECT_THAT(text, HasSubstr("$BRAID_MODULES"));
}

TEST(Module, LooksBesideTheProgram) {
  const auto module = Module::open("absent");
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(module.error().describe(), HasSubstr((folder / "libbraid_absent.so").string()));
}

}  // namespace
}  // namespace braid
