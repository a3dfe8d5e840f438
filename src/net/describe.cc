#include "net/describe.h"

#include <algorithm>
#include <utility>

namespace braid {
namespace {

constexpr const char* kExtensions[] = {
    "binary_tensor_data", "classification", "logging",    "model_configuration",
    "model_repository",   "sequence",       "statistics", "trace",
};
constexpr std::size_t kRowsMaxShown = 32;  // what a run takes at most without a config

Json tensors(const std::vector<TensorSpec>& specs) {
  Json::List list;
  for (const TensorSpec& spec : specs) {
    Json::List shape(spec.shape.begin(), spec.shape.end());
    Json tensor;
    tensor.set("name", spec.name);
    tensor.set("datatype", to_string(spec.dtype));
    tensor.set("shape", std::move(shape));
    if (spec.optional) {
      tensor.set("optional", true);  // the protocol has no word for it; others may be added
    }
    list.push_back(std::move(tensor));
  }
  return list;
}

/// "TYPE_FP32"; strings have a name of their own there.
std::string config_type(DType dtype) {
  return dtype == DType::kBytes ? "TYPE_STRING" : std::string("TYPE_") + to_string(dtype);
}

/// Without the batch axis, where the model has one.
Json config_tensors(const std::vector<TensorSpec>& specs, bool has_batch_axis,
                    const std::map<std::string, std::string>& label_files = {}) {
  Json::List list;
  for (const TensorSpec& spec : specs) {
    Json tensor;
    tensor.set("name", spec.name);
    tensor.set("data_type", config_type(spec.dtype));
    const auto skipped = static_cast<std::ptrdiff_t>(has_batch_axis && !spec.shape.empty());
    Json::List dims(spec.shape.begin() + skipped, spec.shape.end());
    if (dims.empty()) {
      dims.emplace_back(1);
    }
    tensor.set("dims", std::move(dims));
    if (spec.optional) {
      tensor.set("optional", true);
    }
    if (const auto labels = label_files.find(spec.name); labels != label_files.end()) {
      tensor.set("label_filename", labels->second);
    }
    list.push_back(std::move(tensor));
  }
  return list;
}

Json time_json(const CountedTime& time) {
  Json json;
  json.set("count", time.count);
  json.set("ns", static_cast<std::uint64_t>(
                     std::max<std::int64_t>(std::chrono::nanoseconds(time.total).count(), 0)));
  return json;
}

}  // namespace

Json model_config_json(const LoadedModel& model) {
  const ModelSpec& spec = model.spec();
  const ModelConfig& config = model.config;
  const bool has_batch_axis = spec.rows_max > 0;
  Json json;
  json.set("name", model.name);
  json.set("platform", spec.platform);
  std::size_t rows_max = has_batch_axis ? config.rows_max.value_or(kRowsMaxShown) : 0;
  rows_max = std::min(rows_max, spec.rows_max);
  json.set("max_batch_size", static_cast<std::int64_t>(rows_max));
  json.set("input", config_tensors(spec.inputs, has_batch_axis));
  json.set("output", config_tensors(spec.outputs, has_batch_axis, config.label_files));
  if (config.batching.has_value()) {
    Json batching;
    Json::List preferred;
    for (const std::size_t rows : config.batching->preferred_rows) {
      preferred.emplace_back(static_cast<std::int64_t>(rows));
    }
    batching.set("preferred_batch_size", std::move(preferred));
    batching.set(
        "max_queue_delay_microseconds",
        std::chrono::duration_cast<std::chrono::microseconds>(config.batching->wait_max).count());
    json.set("dynamic_batching", std::move(batching));
  }
  json.set("default_model_filename", model.file.filename().string());
  Json::Map parameters;
  for (const auto& [key, value] : config.parameters) {
    Json parameter;
    parameter.set("string_value", value);
    parameters.emplace_back(key, std::move(parameter));
  }
  json.set("parameters", std::move(parameters));
  return json;
}

Json pipeline_config_json(const std::string& name, const std::string& platform,
                          const std::vector<TensorSpec>& inputs,
                          const std::vector<TensorSpec>& outputs) {
  Json json;
  json.set("name", name);
  json.set("platform", platform);
  json.set("max_batch_size", 0);  // its first axis counts cases, but a client need not know
  json.set("input", config_tensors(inputs, false));
  json.set("output", config_tensors(outputs, false));
  return json;
}

Json statistics_json(const std::string& name, const std::string& version,
                     const ModelStatistics& seen, std::uint64_t last_ms) {
  Json stats;
  stats.set("success", time_json(seen.success));
  stats.set("fail", time_json(seen.fail));
  stats.set("queue", time_json(seen.queue));
  stats.set("compute_input", time_json(seen.join));
  stats.set("compute_infer", time_json(seen.run));
  stats.set("compute_output", time_json(seen.split));
  stats.set("cache_hit", time_json({}));
  stats.set("cache_miss", time_json({}));
  Json::List batches;
  for (const auto& [rows, runs] : seen.runs) {
    Json batch;
    batch.set("batch_size", static_cast<std::uint64_t>(rows));
    batch.set("compute_input", time_json(runs.join));
    batch.set("compute_infer", time_json(runs.run));
    batch.set("compute_output", time_json(runs.split));
    batches.push_back(std::move(batch));
  }
  Json json;
  json.set("name", name);
  json.set("version", version);
  json.set("last_inference", last_ms);
  json.set("inference_count", seen.row_count);
  json.set("execution_count", seen.run_count);
  json.set("inference_stats", std::move(stats));
  json.set("batch_stats", std::move(batches));
  return json;
}

Json server_metadata(const std::string& version) {
  Json json;
  json.set("name", "braid");
  json.set("version", version);
  json.set("extensions", Json::List(std::begin(kExtensions), std::end(kExtensions)));
  return json;
}

Json model_metadata(const std::string& name, const std::vector<std::string>& versions,
                    const std::string& platform, const std::vector<TensorSpec>& inputs,
                    const std::vector<TensorSpec>& outputs) {
  Json json;
  json.set("name", name);
  json.set("versions", Json::List(versions.begin(), versions.end()));
  json.set("platform", platform);
  json.set("inputs", tensors(inputs));
  json.set("outputs", tensors(outputs));
  return json;
}

}  // namespace braid
