#pragma once
// ModelConfig: what config.pbtxt says of a model, or the defaults where there is none.
// docs/triton-config.md lists every field of Triton's schema: honoured, warned about or refused.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/batch_config.h"
#include "tensor/spec.h"

namespace braid {

struct VersionPolicy {
  enum class Kind { kLatest, kAll, kSpecific };
  Kind kind = Kind::kLatest;
  std::size_t latest_count = 1;
  std::vector<std::int64_t> specific;
};

/// A run with made-up input before the model is published, so that no request pays for the first.
struct Warmup {
  enum class Filling { kZeros, kRandom, kFile };
  struct Input {
    TensorSpec spec;  // axis 0 has row_count rows where the model joins rows
    Filling filling = Filling::kZeros;
    std::string file_name;  // in the folder warmup/ of the model
  };
  std::string name;
  std::size_t row_count = 1;
  std::size_t run_count = 1;
  std::vector<Input> inputs;
};

/// What each run of a model holds while it goes on, from instance_group.rate_limiter: a run waits
/// until the others leave enough.
struct RunResource {
  std::string name;
  std::size_t count = 0;
  bool operator==(const RunResource&) const = default;
};

struct ModelConfig {
  std::string name;
  std::string platform;  // or backend; empty: by the file that is there
  bool from_file = false;
  /// Triton's max_batch_size. Unset without a config, or with one that leaves out both it and the
  /// tensors: then the model's own axes decide.
  std::optional<std::size_t> rows_max;
  std::vector<TensorSpec> inputs;  // empty: completed from the model
  std::vector<TensorSpec> outputs;
  /// Unset when a config is there without dynamic_batching: rows of different requests stay apart.
  std::optional<BatchConfig> batching;
  VersionPolicy version_policy;
  std::string default_file_name;
  std::map<std::string, std::string> label_files;  // output name → label_filename
  std::map<std::string, std::string> parameters;
  std::vector<Warmup> warmups;
  std::size_t instance_count = 0;  // 0: as many as there are slots
  std::vector<RunResource> run_resources;
  std::vector<std::string> warnings;  // fields that are harmless here, with file and line
};

/// Parses protobuf text format. `file` is for messages. kInvalidArgument for a syntax error or an
/// unknown field, kUnsupported for a refused one; both with field, file and line.
Result<ModelConfig> parse_model_config(const std::string& text, const std::filesystem::path& file);

}  // namespace braid
