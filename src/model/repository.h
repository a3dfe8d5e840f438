#pragma once
// Repository: what lies in a model's folder. Reads names and config.pbtxt, opens no model.
// Threads: pure functions of the disk.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace braid {

/// A plain folder name: clients send names, and "../x" must not leave the repository.
bool is_model_name(const std::string& name);

/// Folders of models, in alphabetical order: not hidden, without a pipeline.yaml.
std::vector<std::string> model_names(const std::filesystem::path& repository);

/// Subfolders whose name is a number from 1, in ascending order.
std::vector<std::int64_t> versions_in(const std::filesystem::path& model_folder);

/// The versions of `there` (ascending) that the policy asks for. kNotFound when one is missing or
/// none is left.
Result<std::vector<std::int64_t>> choose_versions(const VersionPolicy& policy,
                                                  const std::vector<std::int64_t>& there);

/// config.pbtxt, or the defaults of Braid when there is none.
Result<ModelConfig> read_model_config(const std::filesystem::path& model_folder);

/// The lines of each label file. It must be a plain file of the model's folder: a path from a
/// config must not read what lies elsewhere.
Result<std::map<std::string, std::vector<std::string>>> read_labels(
    const ModelConfig& config, const std::filesystem::path& model_folder);

struct ModelFile {
  std::unique_ptr<Backend> backend;
  std::filesystem::path file;
};
/// The file of one version and who opens it: as the config says, else by the file that is there.
Result<ModelFile> find_model_file(const Registry<Backend>& backends, const ModelConfig& config,
                                  const std::filesystem::path& version_folder);

}  // namespace braid
