#include "apps/evaluate_folds.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "apps/repository.h"

namespace braid {
namespace {

/// The rows to run, in the order of the table.
Result<std::vector<Configuration>> chosen(const PipelineConfig& pipeline,
                                          const FoldsOptions& options, bool is_first_fold) {
  BRAID_TRY(Configurations found, find_configurations(pipeline, options.configurations));
  for (const std::string& note : found.notes) {
    if (is_first_fold && options.only.empty()) {
      std::fprintf(stderr, "note: %s\n", note.c_str());
    }
  }
  for (const std::string& key : options.only) {
    if (std::ranges::find(found.all, key, &Configuration::key) == found.all.end()) {
      std::vector<std::string> keys;
      std::ranges::transform(found.all, std::back_inserter(keys), &Configuration::key);
      return Error{Code::kNotFound,
                   fmt::format("--only {}: there are {}", key, fmt::join(keys, ", "))};
    }
  }
  if (!options.only.empty()) {
    std::erase_if(found.all, [&](const Configuration& each) {
      return std::ranges::find(options.only, each.key) == options.only.end();
    });
  }
  return std::move(found.all);
}

Result<Evaluation> evaluate_fold(const FoldsOptions& options, std::size_t fold) {
  BRAID_TRY(const Manifest manifest,
            read_manifest(options.manifests[fold], {.skip_bad = options.skip_bad}));
  for (const Error& skipped : manifest.skipped) {
    std::fprintf(stderr, "skipped: %s\n", skipped.describe().c_str());
  }
  BRAID_TRY(const auto opened, OpenRepository::open({.folders = {options.repositories[fold]}}));
  BRAID_TRY_DO(opened->all_loaded());
  Engine& engine = *opened->engine;
  const std::vector<std::string> names = engine.pipeline_names();
  const bool is_only_one = options.pipeline.empty() && names.size() == 1;
  BRAID_TRY(const auto pipeline, engine.pipeline(is_only_one ? names.front() : options.pipeline));
  BRAID_TRY(const auto configurations, chosen(pipeline->config, options, fold == 0));
  const bool shows_progress = ::isatty(STDERR_FILENO) != 0;
  const auto progress = [&](std::size_t done, std::size_t total) {
    if (shows_progress) {
      std::fprintf(stderr, "\r%s: %zu of %zu cases%s", options.manifests[fold].c_str(), done, total,
                   done == total ? "\n" : "");
    }
  };
  return evaluate(
      pipeline->config, manifest, configurations, options.evaluate,
      [&engine](Request request) { return engine.decide(std::move(request)); }, progress);
}

}  // namespace

Result<Evaluation> evaluate_folds(const FoldsOptions& options) {
  std::vector<Evaluation> folds;
  for (std::size_t fold = 0; fold < options.repositories.size(); ++fold) {
    BRAID_TRY(Evaluation evaluation,
              evaluate_fold(options, fold).within(options.repositories[fold]));
    folds.push_back(std::move(evaluation));
  }
  return pool(std::move(folds));
}

}  // namespace braid
