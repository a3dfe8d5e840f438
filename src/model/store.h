#pragma once
// ModelStore: which versions of which models are loaded. A version is loaded beside the old one and
// published whole; who holds a handle keeps what it has until it lets go.
//
// A repository is a folder of models: NAME/VERSION/model.onnx, NAME/config.pbtxt if there is one.
// Versions are numbers from 1. Folders with a pipeline.yaml are not models and are skipped.
// Threads: every function from any; loads of one name wait for each other.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/published.h"
#include "model/measured_runs.h"
#include "model/model.h"
#include "model/padding.h"

namespace braid {

struct LoadedModel {
  std::string name;
  std::int64_t version = 1;
  ModelConfig config;
  std::unique_ptr<const Model> model;
  std::filesystem::path file;
  std::string digest;  // SHA-256 of the file
  /// Names of an output's classes, from its label_filename: one a line.
  std::map<std::string, std::vector<std::string>> labels = {};
  Padding padding = {};
  ModelProfile profile = {};  // without runs where it was not measured on this processor
  WideTwin wide = {};  // for a lone run on an idle machine, where a measurement says that it pays

  const ModelSpec& spec() const { return model->spec(); }
};
using ModelHandle = std::shared_ptr<const LoadedModel>;

struct ModelStatus {
  std::string name;
  std::int64_t version = 0;  // 0 when no version could be told
  bool ready = false;
  std::string reason;  // why not
};

class ModelStore {
 public:
  struct Options {
    /// Searched in order; the first that has a name wins.
    std::vector<std::filesystem::path> repositories;
    /// Threads of a wide twin, tried for each model that is slow; below 2: none is tried.
    std::size_t wide_thread_count = 0;
  };

  ModelStore(Options options, const Registry<Backend>& backends);

  /// kNotFound when a repository is not there.
  Result<void> check_repositories() const;
  /// Names of all models in the repositories, loaded or not, in alphabetical order.
  std::vector<std::string> names() const;
  /// Loads the versions that the model's policy asks for and drops the others. On failure what was
  /// loaded stays. Messages name file and cure.
  Result<void> load(const std::string& name);
  Result<void> unload(const std::string& name);
  /// The highest loaded version, or the one asked for. kNotFound when there is no such model,
  /// kUnavailable when it is not loaded, both with the reason.
  Result<ModelHandle> get(const std::string& name,
                          std::optional<std::int64_t> version = std::nullopt) const;
  std::vector<ModelStatus> index() const;

 private:
  struct Snapshot {
    std::map<std::string, std::map<std::int64_t, ModelHandle>> loaded;
    std::map<std::string, std::string> failures;  // name → why its last load failed
  };

  Result<std::filesystem::path> folder_of(const std::string& name) const;
  Result<std::map<std::int64_t, ModelHandle>> open_versions(
      const std::string& name, const std::filesystem::path& folder) const;

  const Options options_;
  const Registry<Backend>& backends_;
  Mutex loading_;  // one load at a time; readers never take it
  Published<Snapshot> snapshot_;
};

}  // namespace braid
