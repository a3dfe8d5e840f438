#include "model/store.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/yaml.h"
#include "model/repository.h"
#include "model/warmup.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

/// Batching as the model itself allows it.
void fit_batching(ModelConfig& config, std::size_t rows_max) {
  if (rows_max == 0) {
    config.batching.reset();
  }
  if (config.batching.has_value()) {
    config.batching->rows_max = std::min(config.batching->rows_max, rows_max);
  }
}

}  // namespace

ModelStore::ModelStore(Options options, const Registry<Backend>& backends)
    : options_(std::move(options)),
      backends_(backends),
      snapshot_(std::make_shared<const Snapshot>()) {}

Result<void> ModelStore::check_repositories() const {
  for (const fs::path& repository : options_.repositories) {
    std::error_code unreadable;
    if (!fs::is_directory(repository, unreadable)) {
      return Error{Code::kNotFound,
                   fmt::format("there is no folder {}; a repository is a folder of models, "
                               "NAME/1/model.onnx",
                               repository.string())};
    }
  }
  return {};
}

std::vector<std::string> ModelStore::names() const {
  std::set<std::string> names;
  for (const fs::path& repository : options_.repositories) {
    const std::vector<std::string> here = model_names(repository);
    names.insert(here.begin(), here.end());
  }
  return {names.begin(), names.end()};
}

Result<fs::path> ModelStore::folder_of(const std::string& name) const {
  for (const fs::path& repository : options_.repositories) {
    std::error_code unreadable;
    fs::path folder = repository / name;
    if (is_model_name(name) && fs::is_directory(folder, unreadable) &&
        !fs::exists(folder / "pipeline.yaml", unreadable)) {
      return folder;
    }
  }
  const std::vector<std::string> there = names();
  const std::string nearest = nearest_word(name, {there.begin(), there.end()});
  if (!nearest.empty()) {
    return Error{Code::kNotFound, fmt::format("no model '{}'; did you mean '{}'?", name, nearest)};
  }
  return Error{Code::kNotFound, fmt::format("no model '{}' in the repositories", name)};
}

Result<std::map<std::int64_t, ModelHandle>> ModelStore::open_versions(
    const std::string& name, const fs::path& folder) const {
  BRAID_TRY(const ModelConfig config, read_model_config(folder));
  BRAID_TRY(const auto labels, read_labels(config, folder));
  BRAID_TRY(const auto versions,
            choose_versions(config.version_policy, versions_in(folder)).within(folder.string()));
  BRAID_TRY(const Profile profile, read_profile(folder.parent_path()));
  std::map<std::int64_t, ModelHandle> opened;
  for (const std::int64_t version : versions) {
    BRAID_TRY(const ModelFile found,
              find_model_file(backends_, config, folder / std::to_string(version)));
    LoadedModel loaded;
    loaded.name = name;
    loaded.version = version;
    loaded.config = config;
    loaded.labels = labels;
    loaded.file = found.file;
    BRAID_TRY(const std::string bytes, read_file(found.file));
    loaded.digest = sha256(bytes);
    BRAID_TRY(loaded.model, found.backend->open({found.file, config}));
    BRAID_TRY_DO(warm_up(*loaded.model, config.warmups, folder).within(found.file.string()));
    fit_batching(loaded.config, loaded.spec().rows_max);
    loaded.padding = padding_of(loaded.spec(), loaded.config);
    if (const ModelProfile* measured = profile.find(loaded.digest)) {
      loaded.profile = *measured;
    }
    const std::size_t threads = options_.wide_thread_count;
    loaded.wide = loaded.profile.find(threads, 1) != nullptr
                      ? wide_twin(*loaded.model, threads, loaded.profile)
                      : wide_twin(*loaded.model, threads, SystemClock());
    opened[version] = std::make_shared<const LoadedModel>(std::move(loaded));
  }
  return opened;
}

Result<void> ModelStore::load(const std::string& name) {
  BRAID_TRY(const fs::path folder, folder_of(name));
  const Lock lock(loading_);
  auto opened = open_versions(name, folder);
  auto next = std::make_shared<Snapshot>(*snapshot_.get());
  if (!opened.has_value()) {
    next->failures[name] = opened.error().describe();
    snapshot_.publish(std::move(next));
    return std::move(opened).error().within(fmt::format("model '{}'", name));
  }
  next->failures.erase(name);
  next->loaded[name] = *std::move(opened);
  // What was published before goes when its last holder lets go, not under the readers' lock.
  snapshot_.publish(std::move(next));
  return {};
}

Result<void> ModelStore::unload(const std::string& name) {
  const Lock lock(loading_);
  auto next = std::make_shared<Snapshot>(*snapshot_.get());
  if (next->loaded.erase(name) == 0) {
    return Error{Code::kNotFound, fmt::format("model '{}' is not loaded", name)};
  }
  next->failures[name] = "unloaded";
  snapshot_.publish(std::move(next));
  return {};
}

Result<ModelHandle> ModelStore::get(const std::string& name,
                                    std::optional<std::int64_t> version) const {
  const std::shared_ptr<const Snapshot> snapshot = snapshot_.get();
  const auto loaded = snapshot->loaded.find(name);
  if (loaded == snapshot->loaded.end()) {
    BRAID_TRY([[maybe_unused]] const fs::path folder, folder_of(name));
    const auto failed = snapshot->failures.find(name);
    return Error{Code::kUnavailable,
                 fmt::format("model '{}' is not loaded{}", name,
                             failed == snapshot->failures.end() ? "" : ": " + failed->second)};
  }
  const auto& versions = loaded->second;
  if (!version.has_value()) {
    return versions.rbegin()->second;
  }
  if (const auto found = versions.find(*version); found != versions.end()) {
    return found->second;
  }
  std::vector<std::int64_t> there;
  for (const auto& [number, handle] : versions) {
    there.push_back(number);
  }
  return Error{Code::kNotFound, fmt::format("model '{}' has no version {}; loaded: {}", name,
                                            *version, fmt::join(there, ", "))};
}

std::vector<ModelStatus> ModelStore::index() const {
  const std::shared_ptr<const Snapshot> snapshot = snapshot_.get();
  std::vector<ModelStatus> index;
  for (const std::string& name : names()) {
    const auto loaded = snapshot->loaded.find(name);
    const auto failed = snapshot->failures.find(name);
    const std::string reason = failed == snapshot->failures.end() ? "not loaded" : failed->second;
    std::map<std::int64_t, bool> ready;
    if (const Result<fs::path> folder = folder_of(name); folder.has_value()) {
      for (const std::int64_t version : versions_in(*folder)) {
        ready[version] = false;
      }
    }
    if (loaded != snapshot->loaded.end()) {
      for (const auto& [version, handle] : loaded->second) {
        ready[version] = true;
      }
    }
    if (ready.empty()) {
      ready[0] = false;
    }
    for (const auto& [version, is_ready] : ready) {
      index.push_back({name, version, is_ready, is_ready ? "" : reason});
    }
  }
  return index;
}

}  // namespace braid
