#pragma once
// OpenRepository: everything that a verb needs to answer requests, opened in one place: plug-ins,
// models, dispatcher, engine and pipelines of one or several repository folders.
// Life: closed in the order in which a request walks: engine drains, dispatcher, store.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "fusion/fusion_op.h"
#include "modality/preprocessor.h"
#include "model/store.h"
#include "net/repository_control.h"
#include "policy/policy.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class OpenRepository final : public RepositoryControl {
 public:
  struct Options {
    std::vector<std::filesystem::path> folders;
    std::size_t slot_count = 0;  // 0: as many as there are cores
    bool wide = false;           // try whether a lone run is quicker on all of them
    /// Loaded at the start: all, or just these names of models and pipelines.
    std::optional<std::vector<std::string>> names = std::nullopt;
  };

  /// What could not be loaded, and why; the rest is there.
  struct Failure {
    std::string name;
    Error error;
  };

  /// kNotFound when a folder is not there, or when all is wanted and there is neither a model nor a
  /// pipeline; kInvalidArgument when two folders have the same name.
  static Result<std::unique_ptr<OpenRepository>> open(const Options& options);

  OpenRepository(const OpenRepository&) = delete;
  OpenRepository& operator=(const OpenRepository&) = delete;

  const std::vector<Failure>& failures() const { return failures_; }
  /// While it serves. A pipeline keeps the models that it was loaded with until it is loaded again.
  Result<void> load(const std::string& name) override;
  Result<void> unload(const std::string& name) override;

  /// The failures as one error, for verbs that go on only when everything is right.
  Result<void> all_loaded() const;

  const SystemClock clock;
  Metrics metrics;

  /// Only open() makes one.
  struct Private {};
  OpenRepository(Private, const Options& options);

 private:
  void load_all(const std::vector<std::filesystem::path>& pipelines);
  Result<void> load_named(const std::vector<std::string>& names);
  Result<void> load_pipeline(const std::filesystem::path& folder);

  Registry<Preprocessor> preprocessors_{"modality"};
  Registry<Backend> backends_{"model runtime"};
  Registry<FusionOp> fusion_ops_{"fusion operator"};
  Registry<Policy> policies_{"policy"};
  std::vector<Failure> failures_;
  std::vector<std::filesystem::path> folders_;
  Mutex changing_;  // one load at a time

 public:
  std::optional<ModelStore> store;  // these three: there as soon as open() returns
  std::optional<Dispatcher> dispatcher;
  std::optional<Engine> engine;
};

/// Cores that this process may use: what the cgroup grants, else what the machine has; at least 1.
std::size_t core_count();

}  // namespace braid
