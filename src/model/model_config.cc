#include "model/model_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "base/yaml.h"
#include "model/check_batch.h"
#include "model/triton_config.pb.h"

namespace braid {
namespace {

namespace protobuf = google::protobuf;
using Locations = protobuf::TextFormat::ParseInfoTree;

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

// Longer waits are cut by the requests' deadlines in any case, and a year overflows a Duration.
constexpr std::uint64_t kWaitMaxMicroseconds = 3'600'000'000;

/// Keeps the first thing that protobuf does not like, in our words.
class Complaints final : public protobuf::io::ErrorCollector {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}

  void AddError(int line, int /*column*/, const std::string& message) override {
    if (first_.empty()) {
      first_ = fmt::format("{}:{}: {}", file_, line + 1, in_our_words(message));
    }
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}

  Error error() const { return Error{Code::kInvalidArgument, first_}; }

 private:
  /// Protobuf says: Message type "braid.triton.T" has no field named "f".
  static std::string in_our_words(const std::string& message) {
    std::vector<std::string> quoted;
    for (std::size_t from = message.find('"'); from != message.npos;) {
      const std::size_t to = std::min(message.find('"', from + 1), message.size());
      quoted.push_back(message.substr(from + 1, to - from - 1));
      from = message.find('"', to + 1);
    }
    if (message.find("has no field named") == message.npos || quoted.size() != 2) {
      return message;
    }
    const auto* type = protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(quoted[0]);
    std::set<std::string> known;
    for (int i = 0; type != nullptr && i < type->field_count(); ++i) {
      known.insert(type->field(i)->name());
    }
    const std::string nearest = nearest_word(quoted[1], known);
    return fmt::format("unknown field '{}' of {}{}", quoted[1],
                       type == nullptr ? quoted[0] : type->name(),
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
  }

  const std::string file_;
  std::string first_;
};

/// A message of the file, with the lines of its fields.
struct Place {
  const std::string& file;
  const protobuf::Message& message;
  const Locations& locations;

  const protobuf::FieldDescriptor& field(const char* name) const {
    return *message.GetDescriptor()->FindFieldByName(name);
  }
  /// Of a field that is not written: 0.
  int line(const protobuf::FieldDescriptor& field, int index = 0) const {
    return locations.GetLocation(&field, field.is_repeated() ? index : -1).line + 1;
  }
  std::string where(const char* name, int index = 0) const {
    return fmt::format("{}:{}", file, line(field(name), index));
  }
  Error error(const char* name, int index, std::string_view words) const {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: {}: {}", where(name, index), name, words)};
  }
  Place below(const char* name, int index, const protobuf::Message& nested) const {
    return {file, nested, *locations.GetTreeForNested(&field(name), index)};
  }
};

struct Marked {
  int line = 0;
  std::string words;
  bool refused = false;
};

/// Finds every written field that triton_config.proto marks.
void find_marked(const Place& place, std::vector<Marked>& found) {
  const protobuf::Reflection& reflection = *place.message.GetReflection();
  std::vector<const protobuf::FieldDescriptor*> written;
  reflection.ListFields(place.message, &written);
  for (const protobuf::FieldDescriptor* field : written) {
    const std::string& refused = field->options().GetExtension(triton::refused);
    const std::string& warned = field->options().GetExtension(triton::warned);
    if (!refused.empty() || !warned.empty()) {
      const int line = place.line(*field);
      found.push_back({line,
                       refused.empty() ? fmt::format("{}:{}: {} does nothing here: {}", place.file,
                                                     line, field->name(), warned)
                                       : fmt::format("{}:{}: {} cannot be honoured: {}", place.file,
                                                     line, field->name(), refused),
                       !refused.empty()});
      continue;
    }
    if (field->cpp_type() != protobuf::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) {
      continue;
    }
    const int count = field->is_repeated() ? reflection.FieldSize(place.message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const protobuf::Message& nested = field->is_repeated()
                                            ? reflection.GetRepeatedMessage(place.message, field, i)
                                            : reflection.GetMessage(place.message, field);
      const int index = field->is_repeated() ? i : -1;
      find_marked({place.file, nested, *place.locations.GetTreeForNested(field, index)}, found);
    }
  }
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
Result<std::vector<TensorSpec>> read_tensors(const Place& place, const char* field,
                                             const protobuf::RepeatedPtrField<TritonTensor>& from,
                                             bool joins_rows) {
  std::vector<TensorSpec> tensors;
  for (int i = 0; i < from.size(); ++i) {
    TensorSpec tensor;
    tensor.name = from[i].name();
    Result<DType> dtype = read_type(from[i].data_type());
    if (tensor.name.empty() || std::ranges::count(tensors, tensor.name, &TensorSpec::name) > 0) {
      return place.error(field, i, "name is missing or comes twice");
    }
    if (!dtype.has_value()) {
      return place.error(field, i, fmt::format("'{}': {}", tensor.name, dtype.error().message));
    }
    tensor.dtype = *dtype;
    if (joins_rows) {
      tensor.shape.push_back(-1);
    }
    for (const std::int64_t extent : from[i].dims()) {
      if (extent < -1 || extent == 0) {
        return place.error(field, i,
                           fmt::format("'{}': {} in dims is neither a positive number "
                                       "nor -1",
                                       tensor.name, extent));
      }
      tensor.shape.push_back(extent);
    }
    if (tensor.shape.empty()) {
      return place.error(field, i, fmt::format("'{}': dims is missing", tensor.name));
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

Result<std::optional<BatchConfig>> read_batching(const Place& place,
                                                 const triton::ModelConfig& from,
                                                 std::optional<std::size_t> rows_max) {
  // A config that leaves the tensors to the file leaves batching to it as well; Triton completes
  // it with an empty dynamic_batching.
  if (rows_max == 0U || (!from.has_dynamic_batching() && rows_max.has_value())) {
    return std::optional<BatchConfig>();
  }
  const triton::ModelDynamicBatching& batching = from.dynamic_batching();
  BatchConfig config;
  config.rows_max = rows_max.value_or(kRowsDefault);
  config.wait_max = std::chrono::microseconds(
      std::min(batching.max_queue_delay_microseconds(), kWaitMaxMicroseconds));
  for (const int rows : batching.preferred_batch_size()) {
    if (rows < 1 || static_cast<std::size_t>(rows) > config.rows_max) {
      return place.error(
          "dynamic_batching", 0,
          fmt::format("preferred_batch_size {} is outside 1 … {}", rows, config.rows_max));
    }
    config.preferred_rows.push_back(static_cast<std::size_t>(rows));
  }
  return std::optional<BatchConfig>(std::move(config));
}

Result<Warmup> read_warmup(const triton::ModelWarmup& from, bool joins_rows) {
  Warmup warmup;
  warmup.name = from.name();
  warmup.row_count = from.batch_size();
  warmup.run_count = std::max(from.count(), 1U);
  const auto wrong = [&](std::string_view words) {
    return Error{Code::kInvalidArgument, fmt::format("'{}': {}", from.name(), words)};
  };
  if (from.batch_size() < 1 || (from.batch_size() > 1 && !joins_rows)) {
    return wrong("batch_size is 1 or more, and more only when max_batch_size is");
  }
  const std::map<std::string, triton::ModelWarmup::Input> sorted(from.inputs().begin(),
                                                                 from.inputs().end());
  for (const auto& [name, input] : sorted) {
    Warmup::Input made;
    made.spec.name = name;
    Result<DType> dtype = read_type(input.data_type());
    if (!dtype.has_value()) {
      return wrong(name + ": " + dtype.error().message);
    }
    made.spec.dtype = *dtype;
    if (joins_rows) {
      made.spec.shape.push_back(from.batch_size());
    }
    for (const std::int64_t extent : input.dims()) {
      made.spec.shape.push_back(extent);
    }
    if (made.spec.shape.empty() || std::ranges::min(made.spec.shape) < 1) {
      return wrong(name + ": dims is missing or has an extent below 1");
    }
    made.file_name = input.input_data_file();
    if (std::filesystem::path(made.file_name).filename() != made.file_name) {
      return wrong(name + ": input_data_file is the plain name of a file in the folder warmup/");
    }
    made.filling = !made.file_name.empty()   ? Warmup::Filling::kFile
                   : input.has_random_data() ? Warmup::Filling::kRandom
                                             : Warmup::Filling::kZeros;
    warmup.inputs.push_back(std::move(made));
  }
  return warmup;
}

Result<void> read_instances(const Place& place, const triton::ModelConfig& from,
                            ModelConfig& config) {
  for (int i = 0; i < from.instance_group_size(); ++i) {
    const triton::ModelInstanceGroup& group = from.instance_group(i);
    if (group.count() < 0) {
      return place.error("instance_group", i, "count is below 0");
    }
    config.instance_count += static_cast<std::size_t>(std::max(group.count(), 1));
    if (group.kind() == triton::ModelInstanceGroup::KIND_GPU) {
      config.warnings.push_back(place.below("instance_group", i, group).where("kind") +
                                ": KIND_GPU does nothing here: the model runs on the CPU");
    }
  }
  return {};
}

void read_parameters(const Place& place, const triton::ModelConfig& from, ModelConfig& config) {
  for (const auto& [key, value] : from.parameters()) {
    config.parameters[key] = value.string_value();
  }
  for (const auto& [key, value] : config.parameters) {
    if (kSessionParameters.contains(key)) {
      config.warnings.push_back(
          fmt::format("{}: parameter '{}' does nothing here: a session has "
                      "one thread and the slots are the parallelism",
                      place.where("parameters"), key));
    }
  }
}

Result<std::optional<std::size_t>> read_rows_max(const Place& place,
                                                 const triton::ModelConfig& from) {
  if (from.max_batch_size() < 0) {
    return place.error("max_batch_size", 0, "is below 0");
  }
  const bool complete = from.input_size() > 0 && from.output_size() > 0;
  if (!from.has_max_batch_size() && !complete) {
    return std::optional<std::size_t>();
  }
  return std::optional<std::size_t>(static_cast<std::size_t>(from.max_batch_size()));
}

Result<ModelConfig> convert(const Place& place, const triton::ModelConfig& from) {
  ModelConfig config;
  config.from_file = true;
  config.name = from.name();
  config.platform = from.backend().empty() ? from.platform() : from.backend();
  if (config.platform == "onnxruntime") {  // Triton's backend of this platform
    config.platform = "onnxruntime_onnx";
  }
  BRAID_TRY(config.rows_max, read_rows_max(place, from));
  const bool joins_rows = config.rows_max.value_or(0) > 0;
  if (!config.rows_max.has_value() && from.input_size() + from.output_size() > 0) {
    return place.error(from.input_size() > 0 ? "input" : "output", 0,
                       "give max_batch_size as well, or leave out input and output: whether dims "
                       "has a batch axis depends on it");
  }
  BRAID_TRY(config.inputs, read_tensors(place, "input", from.input(), joins_rows));
  BRAID_TRY(config.outputs, read_tensors(place, "output", from.output(), joins_rows));
  BRAID_TRY(config.batching, read_batching(place, from, config.rows_max));
  config.version_policy = read_version_policy(from.version_policy());
  config.default_file_name = from.default_model_filename();
  if (std::filesystem::path(config.default_file_name).filename() != config.default_file_name) {
    return place.error("default_model_filename", 0, "is the plain name of a file, no path");
  }
  for (const triton::ModelOutput& output : from.output()) {
    if (!output.label_filename().empty()) {
      config.label_files[output.name()] = output.label_filename();
    }
  }
  for (int i = 0; i < from.model_warmup_size(); ++i) {
    Result<Warmup> warmup = read_warmup(from.model_warmup(i), joins_rows);
    if (!warmup.has_value()) {
      return place.error("model_warmup", i, warmup.error().message);
    }
    config.warmups.push_back(*std::move(warmup));
  }
  BRAID_TRY_DO(read_instances(place, from, config));
  read_parameters(place, from, config);
  return config;
}

}  // namespace

Result<ModelConfig> parse_model_config(const std::string& text, const std::filesystem::path& file) {
  const std::string name = file.string();
  triton::ModelConfig message;
  Locations locations;
  Complaints complaints(name);
  protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&complaints);
  parser.WriteLocationsTo(&locations);
  if (!parser.ParseFromString(text, &message)) {
    return complaints.error();
  }
  const Place place{name, message, locations};
  std::vector<Marked> marked;
  find_marked(place, marked);
  std::ranges::stable_sort(marked, {}, &Marked::line);
  if (const auto refused = std::ranges::find(marked, true, &Marked::refused);
      refused != marked.end()) {
    return Error{Code::kUnsupported, refused->words};
  }
  BRAID_TRY(ModelConfig config, convert(place, message));
  for (const Marked& warned : marked) {
    config.warnings.push_back(warned.words);
  }
  return config;
}

}  // namespace braid
