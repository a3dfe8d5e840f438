#include "net/catalogue.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/wall_time.h"
#include "net/describe.h"
#include "net/pipeline_infer.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

constexpr const char* kPlatform = "braid_pipeline";

}  // namespace

Catalogue::Catalogue(const Engine& engine, const Dispatcher& dispatcher, const ModelStore& store,
                     const Clock& clock, std::string program_version)
    : engine_(engine),
      dispatcher_(dispatcher),
      store_(store),
      clock_(clock),
      program_version_(std::move(program_version)) {}

Result<std::shared_ptr<const Pipeline>> Catalogue::find_pipeline(const std::string& name,
                                                                 Version version) const {
  BRAID_TRY(std::shared_ptr<const Pipeline> found, engine_.pipeline(name));
  if (version.has_value() && found->config.version != std::to_string(*version)) {
    return Error{Code::kNotFound, fmt::format("pipeline '{}' has version '{}', not {}", name,
                                              found->config.version, *version)};
  }
  return found;
}

// The engine is asked first: it only looks into a map, while the store looks for a folder of a
// model that is not loaded.
Result<Catalogue::Target> Catalogue::find(const std::string& name, Version version) const {
  Target target;
  if (engine_.find(name) != nullptr) {
    BRAID_TRY(target.pipeline, find_pipeline(name, version));
  } else {
    BRAID_TRY(target.model, store_.get(name, version));
  }
  return target;
}

Json Catalogue::server() const { return server_metadata(program_version_); }

Result<Json> Catalogue::metadata(const std::string& name, Version version) const {
  BRAID_TRY(const Target target, find(name, version));
  if (target.pipeline != nullptr) {
    const PipelineFacts facts = facts_of(*target.pipeline);
    return model_metadata(facts.name, {facts.version}, kPlatform, pipeline_inputs(facts),
                          pipeline_outputs(facts));
  }
  std::vector<std::string> versions;
  for (const ModelStatus& status : store_.index()) {
    if (status.name == name && status.ready) {
      versions.push_back(std::to_string(status.version));
    }
  }
  const ModelSpec& spec = target.model->spec();
  return model_metadata(name, versions, spec.platform, spec.inputs, spec.outputs);
}

Result<Json> Catalogue::readiness(const std::string& name, Version version) const {
  BRAID_TRY([[maybe_unused]] const Target target, find(name, version));
  Json json;
  json.set("name", name);
  json.set("ready", true);
  return json;
}

Result<Json> Catalogue::config(const std::string& name, Version version) const {
  BRAID_TRY(const Target target, find(name, version));
  if (target.pipeline != nullptr) {
    const PipelineFacts facts = facts_of(*target.pipeline);
    return pipeline_config_json(facts.name, kPlatform, pipeline_inputs(facts),
                                pipeline_outputs(facts));
  }
  return model_config_json(*target.model);
}

std::uint64_t Catalogue::wall_ms_of(std::optional<TimePoint> then) const {
  return then.has_value() ? wall_ms(clock_, *then) : 0;
}

Json Catalogue::statistics_of(const LoadedModel& model) const {
  const ModelStatistics seen = dispatcher_.statistics(model);
  return statistics_json(model.name, std::to_string(model.version), seen,
                         wall_ms_of(seen.last_run));
}

// A pipeline's queue and runs are counted at the models that it runs.
Json Catalogue::statistics_of(const Pipeline& pipeline) const {
  const Engine::Counts counts = engine_.counts(pipeline.config.name);
  ModelStatistics seen;
  seen.row_count = counts.success.count;
  seen.run_count = counts.success.count;
  seen.success = counts.success;
  seen.fail = counts.fail;
  seen.run = counts.success;
  return statistics_json(pipeline.config.name, pipeline.config.version, seen,
                         wall_ms_of(counts.last));
}

Result<Json> Catalogue::statistics(const std::string& name, Version version) const {
  Json::List list;
  if (!name.empty()) {
    BRAID_TRY(const Target target, find(name, version));
    list.push_back(target.pipeline != nullptr ? statistics_of(*target.pipeline)
                                              : statistics_of(*target.model));
  } else {
    for (const std::string& pipeline_name : engine_.pipeline_names()) {
      if (const auto pipeline = engine_.find(pipeline_name)) {
        list.push_back(statistics_of(*pipeline));
      }
    }
    for (const ModelStatus& status : store_.index()) {
      const auto model = store_.get(status.name, status.version);
      if (status.ready && model.has_value()) {
        list.push_back(statistics_of(**model));
      }
    }
  }
  Json json;
  json.set("model_stats", std::move(list));
  return json;
}

Json Catalogue::index(bool ready_only) const {
  Json::List list;
  const auto add = [&](const std::string& name, const std::string& version, bool ready,
                       const std::string& reason) {
    if (ready || !ready_only) {
      Json row;
      row.set("name", name);
      row.set("version", version);
      row.set("state", ready ? "READY" : "UNAVAILABLE");
      row.set("reason", reason);
      list.push_back(std::move(row));
    }
  };
  for (const std::string& name : engine_.pipeline_names()) {
    if (const auto pipeline = engine_.find(name)) {
      add(name, pipeline->config.version, true, "");
    }
  }
  for (const ModelStatus& status : store_.index()) {
    add(status.name, status.version > 0 ? std::to_string(status.version) : "", status.ready,
        status.reason);
  }
  return list;
}

}  // namespace braid
