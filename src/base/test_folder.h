#pragma once
// For tests: files of their own. ctest runs many tests at once, each in a process of its own, so
// that a fixed name below /tmp is shared by two of them sooner or later.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace braid {

/// An empty folder that nobody else has; gone with this.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "braid_test_XXXXXX").string();
    BRAID_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& below) const {
    return path_ / below;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace braid
