#include "apps/repository.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
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

OpenRepository::OpenRepository(Private, const Options& options) {
  register_modality_preprocessors(preprocessors_);
  register_model_backends(backends_);
  register_fusion_ops(fusion_ops_);
  register_policy_policies(policies_);
  const std::size_t slots = options.slot_count > 0 ? options.slot_count : core_count();
  store.emplace(ModelStore::Options{options.folders}, backends_);
  dispatcher.emplace(Dispatcher::Options{.slot_count = slots}, clock, metrics);
  engine.emplace(Engine::Options{.pool_thread_count = slots}, clock, *dispatcher, metrics);
}

Result<std::unique_ptr<OpenRepository>> OpenRepository::open(const Options& options) {
  auto opened = std::make_unique<OpenRepository>(Private{}, options);
  BRAID_TRY_DO(opened->store->check_repositories());
  const std::vector<fs::path> folders = pipeline_folders(options.folders);
  if (folders.empty() && opened->store->names().empty()) {
    return Error{
        Code::kNotFound,
        fmt::format("{} holds neither a model (NAME/1/model.onnx) nor a pipeline "
                    "(NAME/pipeline.yaml); `braid fit` makes one",
                    options.folders.empty() ? "no repository" : options.folders.front().string())};
  }
  opened->load_models();
  opened->load_pipelines(folders);
  return opened;
}

void OpenRepository::load_models() {
  for (const std::string& name : store->names()) {
    Result<void> loaded = store->load(name);
    if (!loaded.has_value()) {
      failures_.push_back({name, std::move(loaded).error()});
    }
  }
}

void OpenRepository::load_pipelines(const std::vector<fs::path>& folders) {
  const PipelineParts parts{preprocessors_, fusion_ops_, policies_, *store};
  for (const fs::path& folder : folders) {
    auto pipeline = Pipeline::load(folder, parts);
    if (!pipeline.has_value()) {
      failures_.push_back({folder.filename().string(), std::move(pipeline).error()});
      continue;
    }
    engine->publish(*std::move(pipeline));
  }
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
