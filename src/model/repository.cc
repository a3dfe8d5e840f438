#include "model/repository.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kConfigMax = std::size_t{1} << 20;  // bytes; a long one has ten thousand

/// Names of the subfolders; none when the folder cannot be read.
std::vector<std::string> subfolders(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unreadable;
    if (entry->is_directory(unreadable)) {
      names.push_back(entry->path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

/// The file names that a backend would open: the config's, else its own.
std::vector<std::string> candidates(const Backend& backend, const ModelConfig& config) {
  const std::vector<std::string> own = backend.file_names();
  const std::string& named = config.default_file_name;
  if (named.empty()) {
    return own;
  }
  const bool opens = std::ranges::any_of(own, [&](const std::string& name) {
    return fs::path(name).extension() == fs::path(named).extension();
  });
  // A platform that is named is believed, whatever the file is called.
  return opens || !config.platform.empty() ? std::vector{named} : std::vector<std::string>();
}

}  // namespace

bool is_model_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.size() < 256 &&
         name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

std::vector<std::string> model_names(const fs::path& repository) {
  std::vector<std::string> names = subfolders(repository);
  std::erase_if(names, [&](const std::string& name) {
    return !is_model_name(name) || is_there(repository / name / "pipeline.yaml");
  });
  return names;
}

std::vector<std::int64_t> versions_in(const fs::path& model_folder) {
  std::vector<std::int64_t> versions;
  for (const std::string& name : subfolders(model_folder)) {
    std::int64_t version = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, version);
    if (read.ec == std::errc() && read.ptr == end && version > 0 && name.front() != '0') {
      versions.push_back(version);
    }
  }
  std::ranges::sort(versions);
  return versions;
}

Result<std::vector<std::int64_t>> choose_versions(const VersionPolicy& policy,
                                                  const std::vector<std::int64_t>& there) {
  if (there.empty()) {
    return Error{Code::kNotFound, "there is no version; put the file into a folder named 1"};
  }
  if (policy.kind == VersionPolicy::Kind::kAll) {
    return there;
  }
  if (policy.kind == VersionPolicy::Kind::kLatest) {
    const std::size_t count = std::min(policy.latest_count, there.size());
    return std::vector(there.end() - static_cast<std::ptrdiff_t>(count), there.end());
  }
  std::vector<std::int64_t> chosen = policy.specific;
  std::ranges::sort(chosen);
  chosen.erase(std::ranges::unique(chosen).begin(), chosen.end());
  for (const std::int64_t version : chosen) {
    if (!std::ranges::binary_search(there, version)) {
      return Error{Code::kNotFound, fmt::format("version_policy asks for version {}; there are: {}",
                                                version, fmt::join(there, ", "))};
    }
  }
  if (chosen.empty()) {
    return Error{Code::kNotFound, "version_policy is specific and names no version"};
  }
  return chosen;
}

Result<ModelConfig> read_model_config(const fs::path& model_folder) {
  const fs::path file = model_folder / "config.pbtxt";
  const std::string folder_name = model_folder.filename().string();
  if (!is_there(file)) {
    ModelConfig defaults;
    defaults.name = folder_name;
    defaults.batching = BatchConfig{};
    return defaults;
  }
  BRAID_TRY(const std::string text, read_file(file, kConfigMax));
  BRAID_TRY(ModelConfig config, parse_model_config(text, file));
  if (!config.name.empty() && config.name != folder_name) {
    return Error{Code::kInvalidArgument, fmt::format("{}: name is '{}', but the folder is '{}'",
                                                     file.string(), config.name, folder_name)};
  }
  config.name = folder_name;
  return config;
}

Result<std::map<std::string, std::vector<std::string>>> read_labels(const ModelConfig& config,
                                                                    const fs::path& model_folder) {
  constexpr std::uintmax_t kBytesMax = 16 << 20;
  std::map<std::string, std::vector<std::string>> labels;
  for (const auto& [output, name] : config.label_files) {
    const fs::path file = model_folder / name;
    std::error_code ignored;
    if (!is_model_name(name) || fs::is_symlink(file, ignored) ||
        !fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > kBytesMax) {
      return Error{Code::kInvalidArgument,
                   fmt::format("output '{}': label_filename '{}' is no plain file in {} of at most "
                               "16 MiB",
                               output, name, model_folder.string())};
    }
    BRAID_TRY(const std::string text, read_file(file));
    std::vector<std::string>& lines = labels[output];
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      if (lines.back().ends_with('\r')) {
        lines.back().pop_back();
      }
      begin = end + 1;
    }
  }
  return labels;
}

Result<ModelFile> find_model_file(const Registry<Backend>& backends, const ModelConfig& config,
                                  const fs::path& version_folder) {
  std::vector<ModelFile> found;
  std::vector<std::string> tried;
  for (const std::string& platform :
       config.platform.empty() ? backends.names() : std::vector{config.platform}) {
    BRAID_TRY(std::unique_ptr<Backend> backend, backends.make(platform, {}));
    for (const std::string& name : candidates(*backend, config)) {
      tried.push_back(name);
      if (is_there(version_folder / name)) {
        found.push_back({std::move(backend), version_folder / name});
        break;
      }
    }
  }
  if (found.empty()) {
    return Error{Code::kNotFound,
                 fmt::format("{} has no {}", version_folder.string(), fmt::join(tried, ", no "))};
  }
  if (found.size() > 1) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} has {} and {}; say which by `platform` in config.pbtxt",
                             version_folder.string(), found[0].file.filename().string(),
                             found[1].file.filename().string())};
  }
  return std::move(found.front());
}

}  // namespace braid
