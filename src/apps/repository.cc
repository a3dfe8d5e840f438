#include "apps/repository.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "model/repository.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

/// Folders that hold a pipeline.yaml, in alphabetical order.
std::vector<fs::path> pipeline_folders(const std::vector<fs::path>& repositories) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::path& repository : repositories) {
    for (const auto& entry : fs::directory_iterator(repository, ignored)) {
      if (fs::exists(entry.path() / "pipeline.yaml", ignored)) {
        folders.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(folders);
  return folders;
}

/// Empty when no repository has a pipeline of that name.
fs::path pipeline_folder(const std::vector<fs::path>& repositories, const std::string& name) {
  const std::vector<fs::path> folders = pipeline_folders(repositories);
  const auto found = std::ranges::find(
      folders, name, [](const fs::path& folder) { return folder.filename().string(); });
  return found == folders.end() ? fs::path() : *found;
}

/// One name serves once: which of two folders a client means, nobody could tell.
Result<void> check_unique(const std::vector<fs::path>& repositories) {
  std::map<std::string, fs::path> seen;
  for (const fs::path& repository : repositories) {
    std::vector<std::string> names = model_names(repository);
    for (const fs::path& folder : pipeline_folders({repository})) {
      names.push_back(folder.filename().string());
    }
    for (const std::string& name : names) {
      const auto [first, is_new] = seen.try_emplace(name, repository);
      if (!is_new) {
        return Error{Code::kInvalidArgument,
                     fmt::format("'{}' is in the repositories {} and {}; rename one of them, or "
                                 "leave one out",
                                 name, first->second.string(), repository.string())};
      }
    }
  }
  return {};
}

/// cgroup v2: "200000 100000" is two cores, "max 100000" is no limit.
double cgroup_cores() {
  const Result<std::string> text = read_file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (text.has_value() && std::sscanf(text->c_str(), "%lf %lf", &quota, &period) == 2) {
    return quota / period;
  }
  return INFINITY;
}

}  // namespace

std::size_t core_count() {
  const double machine = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::max(1.0, std::round(std::min(machine, cgroup_cores()))));
}

OpenRepository::OpenRepository(Private, const Options& options) : folders_(options.folders) {
  register_modality_preprocessors(preprocessors_);
  register_model_backends(backends_);
  register_fusion_ops(fusion_ops_);
  register_policy_policies(policies_);
  const std::size_t slots = options.slot_count > 0 ? options.slot_count : core_count();
  store.emplace(ModelStore::Options{options.folders, options.wide ? slots : 0}, backends_);
  dispatcher.emplace(Dispatcher::Options{.slot_count = slots}, clock, metrics);
  engine.emplace(Engine::Options{.pool_thread_count = slots}, clock, *dispatcher, metrics);
}

Result<std::unique_ptr<OpenRepository>> OpenRepository::open(const Options& options) {
  auto opened = std::make_unique<OpenRepository>(Private{}, options);
  BRAID_TRY_DO(opened->store->check_repositories());
  BRAID_TRY_DO(check_unique(options.folders));
  const std::vector<fs::path> folders = pipeline_folders(options.folders);
  if (!options.names.has_value() && folders.empty() && opened->store->names().empty()) {
    return Error{
        Code::kNotFound,
        fmt::format("{} holds neither a model (NAME/1/model.onnx) nor a pipeline "
                    "(NAME/pipeline.yaml); `braid fit` makes one, and `braid serve "
                    "--model-control-mode explicit` starts with none",
                    options.folders.empty() ? "no repository" : options.folders.front().string())};
  }
  if (options.names.has_value()) {
    BRAID_TRY_DO(opened->load_named(*options.names));
  } else {
    opened->load_all(folders);
  }
  return opened;
}

void OpenRepository::load_all(const std::vector<fs::path>& pipelines) {
  for (const std::string& name : store->names()) {
    if (Result<void> loaded = store->load(name); !loaded.has_value()) {
      failures_.push_back({name, std::move(loaded).error()});
    }
  }
  for (const fs::path& folder : pipelines) {
    if (Result<void> loaded = load_pipeline(folder); !loaded.has_value()) {
      failures_.push_back({folder.filename().string(), std::move(loaded).error()});
    }
  }
}

// Models first, so that the order in which names are given does not matter to pipelines.
Result<void> OpenRepository::load_named(const std::vector<std::string>& names) {
  std::vector<std::string> pipelines;
  for (const std::string& name : names) {
    if (!pipeline_folder(folders_, name).empty()) {
      pipelines.push_back(name);
    } else if (Result<void> loaded = store->load(name); !loaded.has_value()) {
      failures_.push_back({name, std::move(loaded).error()});
    }
  }
  for (const std::string& name : pipelines) {
    if (Result<void> loaded = load(name); !loaded.has_value()) {
      failures_.push_back({name, std::move(loaded).error()});
    }
  }
  return {};
}

Result<void> OpenRepository::load_pipeline(const fs::path& folder) {
  BRAID_TRY(auto pipeline,
            Pipeline::load(folder, PipelineParts{preprocessors_, fusion_ops_, policies_, *store}));
  engine->publish(std::move(pipeline));
  return {};
}

Result<void> OpenRepository::load(const std::string& name) {
  const Lock lock(changing_);
  const fs::path folder = pipeline_folder(folders_, name);
  return folder.empty() ? store->load(name) : load_pipeline(folder);
}

Result<void> OpenRepository::unload(const std::string& name) {
  const Lock lock(changing_);
  if (engine->find(name) != nullptr) {
    engine->withdraw(name);
    return {};
  }
  return store->unload(name);
}

Result<void> OpenRepository::all_loaded() const {
  if (failures_.empty()) {
    return {};
  }
  Error error = failures_.front().error;
  if (failures_.size() > 1) {
    error.message += fmt::format(" (and {} more; `braid check` lists them)", failures_.size() - 1);
  }
  return error;
}

}  // namespace braid
