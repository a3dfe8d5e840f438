#pragma once
// FitSetup: FIT.yaml with its models opened and its preprocessors made: what the rest of a fit asks
// for inputs, variants and fusion nodes.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/fit_config.h"
#include "model/store.h"
#include "serve/pipeline.h"

namespace braid {

struct FitSetup {
  FitConfig config;
  /// Inputs, bound variants and the nodes of the fusion tree, inputs before users. A variant
  /// that is fitted here is bound to the tensor that it is fitted on. No policy, no fitted nodes.
  std::shared_ptr<Pipeline> pipeline;

  bool is_fitted_here(const VariantConfig& variant) const {
    return config.is_fitted_here(variant.name);
  }
  /// Whether the branch says probabilities itself; else it needs a head.
  bool gives_scores(std::size_t branch_index) const;
};

/// Opens what `config` names, with `classes` as the decision's. Without a `fusion:` section nodes
/// are made up: a head for each embedding and a vote over single opinions (`late`), heads over
/// pairs and over all (`joint`), and a vote over these. Messages have the file, the line and the
/// cure.
Result<FitSetup> open_fit(FitConfig config, const std::vector<std::string>& classes,
                          const PipelineParts& parts, ModelStore& models);

}  // namespace braid
