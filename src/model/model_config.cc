#include "model/model_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/triton_config.pb.h"
#include "model/triton_text.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

/// Triton's names of the types, in the order of its enumeration from TYPE_BOOL on.
constexpr DType kTypes[] = {DType::kBool,   DType::kUint8, DType::kUint16, DType::kUint32,
                            DType::kUint64, DType::kInt8,  DType::kInt16,  DType::kInt32,
                            DType::kInt64,  DType::kFp16,  DType::kFp32,   DType::kFp64,
                            DType::kBytes,  DType::kBf16};

/// Parameters by which Triton's ONNX backend sets up its sessions.
const std::set<std::string, std::less<>> kSessionParameters = {
    "intra_op_thread_count",
    "inter_op_thread_count",
    "execution_mode",
    "enable_mem_arena",
    "enable_mem_pattern",
    "enable_global_threadpool",
    "cudnn_conv_algo_search",
    "gpu_mem_limit",
    "arena_extend_strategy",
    "do_copy_in_default_stream",
    "memory.enable_memory_arena_shrinkage"};

/// "config.pbtxt:12: input: words". `index` is -1 for a field that comes once.
Error wrong(const TritonText& text, const std::string& field, int index, std::string_view words) {
  return text.error(index < 0 ? field : fmt::format("{}[{}]", field, index),
                    fmt::format("{}: {}", field, words));
}

Result<DType> read_type(triton::DataType type) {
  const int index = static_cast<int>(type) - 1;
  if (index < 0 || index >= static_cast<int>(std::size(kTypes))) {
    return Error{Code::kInvalidArgument, "data_type is missing, such as TYPE_FP32"};
  }
  return kTypes[index];
}

/// Dims are without the batch axis when the model joins rows.
template <typename TritonTensor>
Result<std::vector<TensorSpec>> read_tensors(
    const TritonText& text, const char* field,
    const google::protobuf::RepeatedPtrField<TritonTensor>& from, bool joins_rows) {
  std::vector<TensorSpec> tensors;
  for (int i = 0; i < from.size(); ++i) {
    TensorSpec tensor;
    tensor.name = from[i].name();
    Result<DType> dtype = read_type(from[i].data_type());
    if (tensor.name.empty() || std::ranges::count(tensors, tensor.name, &TensorSpec::name) > 0) {
      return wrong(text, field, i, "name is missing or comes twice");
    }
    if (!dtype.has_value()) {
      return wrong(text, field, i, fmt::format("'{}': {}", tensor.name, dtype.error().message));
    }
    tensor.dtype = *dtype;
    if (joins_rows) {
      tensor.shape.push_back(-1);
    }
    for (const std::int64_t extent : from[i].dims()) {
      if (extent < -1 || extent == 0) {
        return wrong(text, field, i,
                     fmt::format("'{}': {} in dims is neither a positive number "
                                 "nor -1",
                                 tensor.name, extent));
      }
      tensor.shape.push_back(extent);
    }
    if (tensor.shape.empty()) {
      return wrong(text, field, i, fmt::format("'{}': dims is missing", tensor.name));
    }
    if constexpr (std::is_same_v<TritonTensor, triton::ModelInput>) {
      tensor.optional = from[i].optional();
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

VersionPolicy read_version_policy(const triton::ModelVersionPolicy& from) {
  VersionPolicy policy;
  if (from.has_all()) {
    policy.kind = VersionPolicy::Kind::kAll;
  } else if (from.has_specific()) {
    policy.kind = VersionPolicy::Kind::kSpecific;
    policy.specific.assign(from.specific().versions().begin(), from.specific().versions().end());
  } else if (from.latest().num_versions() > 0) {
    policy.latest_count = from.latest().num_versions();
  }
  return policy;
}

Result<Warmup> read_warmup(const triton::ModelWarmup& from, bool joins_rows) {
  Warmup warmup;
  warmup.name = from.name();
  warmup.row_count = from.batch_size();
  warmup.run_count = std::max(from.count(), 1U);
  const auto refuse = [&](std::string_view words) {
    return Error{Code::kInvalidArgument, fmt::format("'{}': {}", from.name(), words)};
  };
  if (from.batch_size() < 1 || (from.batch_size() > 1 && !joins_rows)) {
    return refuse("batch_size is 1 or more, and more only when max_batch_size is");
  }
  const std::map<std::string, triton::ModelWarmup::Input> sorted(from.inputs().begin(),
                                                                 from.inputs().end());
  for (const auto& [name, input] : sorted) {
    Warmup::Input made;
    made.spec.name = name;
    Result<DType> dtype = read_type(input.data_type());
    if (!dtype.has_value()) {
      return refuse(name + ": " + dtype.error().message);
    }
    made.spec.dtype = *dtype;
    if (joins_rows) {
      made.spec.shape.push_back(from.batch_size());
    }
    for (const std::int64_t extent : input.dims()) {
      made.spec.shape.push_back(extent);
    }
    if (made.spec.shape.empty() || std::ranges::min(made.spec.shape) < 1) {
      return refuse(name + ": dims is missing or has an extent below 1");
    }
    made.file_name = input.input_data_file();
    if (fs::path(made.file_name).filename() != made.file_name) {
      return refuse(name + ": input_data_file is the plain name of a file in the folder warmup/");
    }
    made.filling = !made.file_name.empty()   ? Warmup::Filling::kFile
                   : input.has_random_data() ? Warmup::Filling::kRandom
                                             : Warmup::Filling::kZeros;
    warmup.inputs.push_back(std::move(made));
  }
  return warmup;
}

Result<void> read_instances(const TritonText& text, const triton::ModelConfig& from,
                            ModelConfig& config) {
  for (int i = 0; i < from.instance_group_size(); ++i) {
    const triton::ModelInstanceGroup& group = from.instance_group(i);
    if (group.count() < 0) {
      return wrong(text, "instance_group", i, "count is below 0");
    }
    config.instance_count += static_cast<std::size_t>(std::max(group.count(), 1));
    for (const triton::ModelRateLimiter::Resource& each : group.rate_limiter().resources()) {
      RunResource resource{each.name(), each.count()};
      const auto same = std::ranges::find(config.run_resources, each.name(), &RunResource::name);
      if (each.name().empty() || each.count() == 0) {
        return wrong(text, "instance_group", i, "a resource has a name and a count above 0");
      }
      if (same == config.run_resources.end()) {
        config.run_resources.push_back(std::move(resource));
      } else if (*same != resource) {
        return wrong(text, "instance_group", i,
                     fmt::format("resource '{}' has count {} here and {} before; runs of one model "
                                 "are alike",
                                 each.name(), each.count(), same->count));
      }
    }
    if (group.kind() == triton::ModelInstanceGroup::KIND_GPU) {
      config.warnings.push_back(text.where(fmt::format("instance_group[{}].kind", i)) +
                                ": KIND_GPU does nothing here: the model runs on the CPU");
    }
  }
  return {};
}

void read_parameters(const TritonText& text, const triton::ModelConfig& from, ModelConfig& config) {
  for (const auto& [key, value] : from.parameters()) {
    config.parameters[key] = value.string_value();
  }
  for (const auto& [key, value] : config.parameters) {
    if (kSessionParameters.contains(key)) {
      config.warnings.push_back(
          fmt::format("{}: parameter '{}' does nothing here: a session has "
                      "one thread and the slots are the parallelism",
                      text.where("parameters"), key));
    }
  }
}

Result<std::optional<std::size_t>> read_rows_max(const TritonText& text,
                                                 const triton::ModelConfig& from) {
  if (from.max_batch_size() < 0) {
    return wrong(text, "max_batch_size", -1, "is below 0");
  }
  const bool complete = from.input_size() > 0 && from.output_size() > 0;
  if (!from.has_max_batch_size() && !complete) {
    return std::optional<std::size_t>();
  }
  return std::optional<std::size_t>(static_cast<std::size_t>(from.max_batch_size()));
}

Result<ModelConfig> convert(const TritonText& text, const triton::ModelConfig& from) {
  ModelConfig config;
  config.from_file = true;
  config.name = from.name();
  config.platform = from.backend().empty() ? from.platform() : from.backend();
  if (config.platform == "onnxruntime") {  // Triton's backend of this platform
    config.platform = "onnxruntime_onnx";
  }
  BRAID_TRY(config.rows_max, read_rows_max(text, from));
  const bool joins_rows = config.rows_max.value_or(0) > 0;
  if (!config.rows_max.has_value() && from.input_size() + from.output_size() > 0) {
    return wrong(text, from.input_size() > 0 ? "input" : "output", 0,
                 "give max_batch_size as well, or leave out input and output: whether dims "
                 "has a batch axis depends on it");
  }
  BRAID_TRY(config.inputs, read_tensors(text, "input", from.input(), joins_rows));
  BRAID_TRY(config.outputs, read_tensors(text, "output", from.output(), joins_rows));
  BRAID_TRY(config.batching, read_batching(text, from, config.rows_max));
  config.version_policy = read_version_policy(from.version_policy());
  config.default_file_name = from.default_model_filename();
  if (fs::path(config.default_file_name).filename() != config.default_file_name) {
    return wrong(text, "default_model_filename", -1, "is the plain name of a file, no path");
  }
  for (int i = 0; i < from.output_size(); ++i) {
    const std::string& labels = from.output(i).label_filename();
    if (fs::path(labels).filename() != labels) {
      return wrong(text, "output", i, "label_filename is the plain name of a file, no path");
    }
    if (!labels.empty()) {
      config.label_files[from.output(i).name()] = labels;
    }
  }
  for (int i = 0; i < from.model_warmup_size(); ++i) {
    Result<Warmup> warmup = read_warmup(from.model_warmup(i), joins_rows);
    if (!warmup.has_value()) {
      return wrong(text, "model_warmup", i, warmup.error().message);
    }
    config.warmups.push_back(*std::move(warmup));
  }
  BRAID_TRY_DO(read_instances(text, from, config));
  read_parameters(text, from, config);
  return config;
}

}  // namespace

Result<ModelConfig> parse_model_config(const std::string& text, const std::filesystem::path& file) {
  triton::ModelConfig message;
  BRAID_TRY(TritonText parsed, parse_triton_text(text, file.string(), message));
  BRAID_TRY(ModelConfig config, convert(parsed, message));
  config.warnings.insert(config.warnings.begin(), parsed.warnings.begin(), parsed.warnings.end());
  return config;
}

}  // namespace braid
