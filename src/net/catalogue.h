#pragma once
// Catalogue: what is served here, in the protocol's words, whatever wire asks: metadata, readiness,
// configuration, statistics, the index of the repository. Answers are JSON; gRPC turns them into
// its messages, whose fields have the same names. Threads: every function from any.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "model/store.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class Catalogue {
 public:
  using Version = std::optional<std::int64_t>;

  Catalogue(const Engine& engine, const Dispatcher& dispatcher, const ModelStore& store,
            const Clock& clock, std::string program_version);

  /// A pipeline when there is one of that name, else a model.
  struct Target {
    std::shared_ptr<const Pipeline> pipeline;
    ModelHandle model;
  };
  Result<Target> find(const std::string& name, Version version) const;
  Result<std::shared_ptr<const Pipeline>> find_pipeline(const std::string& name,
                                                        Version version) const;

  Json server() const;
  Result<Json> metadata(const std::string& name, Version version) const;
  Result<Json> readiness(const std::string& name, Version version) const;
  Result<Json> config(const std::string& name, Version version) const;
  /// {"model_stats": […]} of one model or pipeline, or of all that is ready when `name` is empty.
  Result<Json> statistics(const std::string& name, Version version) const;
  /// [{"name", "version", "state", "reason"}].
  Json index(bool ready_only) const;

 private:
  Json statistics_of(const LoadedModel& model) const;
  Json statistics_of(const Pipeline& pipeline) const;
  std::uint64_t wall_ms_of(std::optional<TimePoint> then) const;

  const Engine& engine_;
  const Dispatcher& dispatcher_;
  const ModelStore& store_;
  const Clock& clock_;
  const std::string program_version_;
};

}  // namespace braid
