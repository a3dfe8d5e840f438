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
#include "base/result.h"
#include "fusion/fusion_op.h"
#include "modality/preprocessor.h"
#include "model/store.h"
#include "policy/policy.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

class OpenRepository {
 public:
  struct Options {
    std::vector<std::filesystem::path> folders;
    std::size_t slot_count = 0;  // 0: as many as there are cores
  };

  /// What could not be loaded, and why; the rest is there.
  struct Failure {
    std::string name;
    Error error;
  };

  /// kNotFound when a folder is not there or holds neither a model nor a pipeline.
  static Result<std::unique_ptr<OpenRepository>> open(const Options& options);

  OpenRepository(const OpenRepository&) = delete;
  OpenRepository& operator=(const OpenRepository&) = delete;

  const std::vector<Failure>& failures() const { return failures_; }
  /// The failures as one error, for verbs that go on only when everything is right.
  Result<void> all_loaded() const;

  const SystemClock clock;
  Metrics metrics;

  /// Only open() makes one.
  struct Private {};
  OpenRepository(Private, const Options& options);

 private:
  void load_models();
  void load_pipelines(const std::vector<std::filesystem::path>& folders);

  Registry<Preprocessor> preprocessors_{"modality"};
  Registry<Backend> backends_{"model runtime"};
  Registry<FusionOp> fusion_ops_{"fusion operator"};
  Registry<Policy> policies_{"policy"};
  std::vector<Failure> failures_;

 public:
  std::optional<ModelStore> store;  // these three: there as soon as open() returns
  std::optional<Dispatcher> dispatcher;
  std::optional<Engine> engine;
};

/// Cores that this process may use: what the cgroup grants, else what the machine has; at least 1.
std::size_t core_count();

}  // namespace braid
