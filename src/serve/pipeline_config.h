#pragma once
// PipelineConfig: pipeline.yaml as plain values, before any model is opened. What can be told
// without models is checked here: keys, names, cycles, unreachable branches, plans.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/yaml.h"

namespace braid {

struct InputConfig {
  std::string name;
  std::string modality;
  std::string from;   // the raw input whose bytes it encodes; itself unless said otherwise
  Settings settings;  // for the preprocessor
};

/// How the rows that one input may become, such as a long text's windows, become one.
enum class Pool { kMean, kMax };

struct VariantConfig {
  std::string name;   // of the model unless said otherwise
  std::string model;  // empty: the encoded tensor itself is the embedding (`identity: TENSOR`)
  std::string identity;
  std::string space;                           // of its embedding: the name unless said otherwise
  std::vector<std::string> inputs;             // the branch's unless said otherwise
  std::map<std::string, std::string> outputs;  // model output → role
  std::map<std::string, std::string> feeds;    // model input → TENSOR, INPUT.TENSOR or INPUT
  Pool pool = Pool::kMean;
  Yaml yaml;
};

/// What becomes of a part whose embedding lies farther out than training's.
struct DomainConfig {
  double above = 0.99;        // the share of training rows that are nearer; 1: never
  bool makes_absent = false;  // it is only reported otherwise
};

struct BranchConfig {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<VariantConfig> variants;
  bool required = false;  // absent: the request fails
  DomainConfig out_of_domain = {};
  Yaml yaml;
};

struct NodeConfig {
  std::string name;
  std::string op;                   // "model" for a learned head
  std::vector<std::string> models;  // of a learned head, one for each set of spaces
  std::vector<std::string> inputs;  // branches or nodes
  Settings settings;                // what the operator reads
};

struct PlanConfig {
  std::string name;
  std::map<std::string, std::string> variants;  // branch → variant; a branch not named is skipped
  Yaml yaml;
};

struct LimitsConfig {
  Duration deadline = std::chrono::seconds(30);
  std::size_t in_flight = 256;
  std::size_t in_flight_bytes = std::size_t{512} << 20;  // raw inputs of all requests inside
  std::size_t input_bytes = std::size_t{64} << 20;       // of one request, all inputs together
};

struct PipelineConfig {
  std::string name;
  std::string version = "1";
  std::vector<std::string> classes;
  std::vector<InputConfig> inputs;
  std::vector<BranchConfig> branches;
  std::vector<NodeConfig> nodes;  // inputs before users; the last one is the root
  std::vector<PlanConfig> plans;  // at least one
  std::string policy_kind = "fixed";
  std::optional<Settings> policy;
  LimitsConfig limits;
  std::filesystem::path folder;

  /// The names that a request may send: inputs that encode their own bytes.
  std::vector<std::string> raw_inputs() const;
  const InputConfig* input(std::string_view name) const;
  const BranchConfig* branch(std::string_view name) const;
  const NodeConfig* node(std::string_view name) const;
};

/// kInvalidArgument with file, line and cure. `folder` holds the files that the pipeline names.
Result<PipelineConfig> parse_pipeline(const Yaml& yaml, const std::filesystem::path& folder);
Result<PipelineConfig> read_pipeline(const std::filesystem::path& file);

}  // namespace braid
