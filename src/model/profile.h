#pragma once
// Profile: profile.json of a repository, what `braid profile` measured there. It holds for the
// processor that it names and for the very files whose digests it lists; others are measured anew.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace braid {

struct MeasuredRun {
  std::size_t thread_count = 1;
  std::size_t row_count = 1;
  Duration took{};  // the least of several
};

struct ModelProfile {
  std::string name;
  std::int64_t version = 1;
  std::vector<MeasuredRun> runs = {};  // in the order of threads and rows
  double memory_mib = 0;               // that loading and the largest run took

  /// Null when that was not measured.
  const MeasuredRun* find(std::size_t thread_count, std::size_t row_count) const;
};

struct Profile {
  std::string cpu;
  std::size_t thread_count = 1;                     // of wide runs
  std::map<std::string, ModelProfile> models = {};  // by digest of the model's file

  /// Null when the file was not measured.
  const ModelProfile* find(const std::string& digest) const;
};

inline constexpr const char* kProfileName = "profile.json";

/// Empty when the repository has none, or one of another processor. kInvalidArgument when it is
/// damaged; the cure is to measure again.
Result<Profile> read_profile(const std::filesystem::path& repository);
Result<void> write_profile(const std::filesystem::path& repository, const Profile& profile);

}  // namespace braid
