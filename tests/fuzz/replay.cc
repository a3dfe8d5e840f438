// <room>_replay TARGET FOLDER...: gives every file of the folders to one fuzz target, in the order
// of their names, and the empty input before them. A finding ends the program, by a sanitizer or by
// a broken promise; the last line printed names its file.

#include "fuzz/replay.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(std::span<char* const> folders) {
  std::vector<fs::path> files;
  for (const char* folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

void replay(const braid::FuzzTarget& target, const fs::path& file) {
  std::fprintf(stderr, "%s\n", file.c_str());
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // Of its exact size and on the heap, so that one byte too far is seen.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  target.run(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  const std::string_view wanted = words.size() > 1 ? words[1] : "";
  const auto targets = braid::fuzz_targets();
  const auto target = std::ranges::find(targets, wanted, &braid::FuzzTarget::name);
  const auto files = files_of(words.subspan(std::min<std::size_t>(words.size(), 2)));
  if (target == targets.end() || files.empty()) {
    std::fprintf(stderr, "no target '%s', or no file in its corpus tests/data/fuzz/%s\n",
                 std::string(wanted).c_str(), std::string(wanted).c_str());
    return 2;
  }
  target->run(nullptr, 0);
  for (const fs::path& file : files) {
    replay(*target, file);
  }
  std::printf("%zu files replayed\n", files.size());
  return 0;
}
