#pragma once
// Folds of `braid evaluate`: each repository answers the cases of its own manifest.

#include <string>
#include <vector>

#include "base/result.h"
#include "measure/configurations.h"
#include "measure/evaluate.h"

namespace braid {

struct FoldsOptions {
  std::vector<std::string> repositories;
  std::vector<std::string> manifests;  // one for each repository
  std::string pipeline;                // "": the only one
  ConfigurationOptions configurations;
  std::vector<std::string> only;  // keys of configurations; empty: all
  EvaluateOptions evaluate;
  bool skip_bad = false;
};

/// All cases as one set. Opens one repository at a time. Notes, skipped rows and progress go to
/// standard error. Errors name the repository.
Result<Evaluation> evaluate_folds(const FoldsOptions& options);

}  // namespace braid
