#pragma once
// FitConfig: FIT.yaml as plain values, before any model is opened: a pipeline without what fitting
// finds out (classes, heads, weights, thresholds), and where its data and encoders are.
// docs/fit.md lists every key.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "serve/pipeline_config.h"

namespace braid {

struct FitOptions {
  std::size_t folds = 4;   // of the inner cross-validation
  std::uint64_t seed = 0;  // of the folds and the trees
  double strength = 20;    // C of every head: the larger, the weaker its regularisation
  double dropout = 0.5;    // weight of the copies of a row in which one part is blanked
  std::map<std::string, std::size_t> components;  // branch → principal components; 0: all
  std::vector<std::string> splits;                // rows to fit on; empty: train and calibration
  /// Accuracy that a cascade may lose, out of fold, to save core-milliseconds.
  double cascade_tolerance = 0.002;
  /// And in the lower end of the interval of the difference, case by case.
  double cascade_margin = 0.01;
};

/// A forest that is trained here and becomes a model of the repository.
struct ForestConfig {
  std::size_t rounds = 200;
  std::size_t depth = 4;
  double rate = 0.1;
};

/// A linear model on sparse features, likewise.
struct LinearConfig {
  double strength = 20;  // C: the larger, the weaker its regularisation
};

struct FitConfig {
  std::filesystem::path file;  // of FIT.yaml; other paths are relative to its folder
  std::optional<Yaml> yaml;    // of the whole file, for messages; always there
  std::filesystem::path manifest;
  std::filesystem::path repository;           // is written
  std::vector<std::filesystem::path> models;  // repositories that hold the encoders
  /// Branches, inputs and what was said of nodes and plans. `model` of a forest or a linear
  /// variant is its name, and `identity` the tensor that it is fitted on. Heads have no models yet.
  PipelineConfig pipeline;
  std::map<std::string, ForestConfig> forests;  // by name
  std::map<std::string, LinearConfig> linears;  // by name, none that a forest has
  std::optional<Yaml> policy;  // absent, or `steps: auto`: the cascade is found by fitting
  std::optional<Yaml> plans;   // absent: found by fitting
  std::optional<Yaml> limits;
  FitOptions options;

  /// Whether that variant's model is made by this fit.
  bool is_fitted_here(const std::string& variant_name) const {
    return forests.contains(variant_name) || linears.contains(variant_name);
  }
};

/// kInvalidArgument with file, line and cure.
Result<FitConfig> read_fit_config(const std::filesystem::path& file);

}  // namespace braid
