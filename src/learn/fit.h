#pragma once
// Fit: from FIT.yaml and a manifest to a repository that serves: embeddings of frozen encoders,
// heads on them, forests, vote weights, temperatures, plans and a cascade. Every number that
// decides something comes from rows that its parts were not fitted on. Threads: fit() uses as many
// as the context says.

#include "base/registry.h"
#include "base/result.h"
#include "fusion/fusion_op.h"
#include "learn/embed.h"
#include "learn/fit_config.h"
#include "learn/fit_report.h"
#include "model/model.h"
#include "policy/policy.h"

namespace braid {

/// The plug-ins. Borrowed.
struct FitParts {
  const Registry<Preprocessor>& preprocessors;
  const Registry<Backend>& backends;
  const Registry<FusionOp>& fusion_ops;
  const Registry<Policy>& policies;
};

/// Fits and writes config.repository. Errors name file, line and cure; nothing is left behind.
Result<FitReport> fit(const FitConfig& config, const FitParts& parts, const FitContext& context);

}  // namespace braid
