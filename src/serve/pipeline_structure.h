#pragma once
// The structure of a pipeline: what its names refer to, in which order nodes run, what is missing.

#include "base/result.h"
#include "serve/pipeline_config.h"

namespace braid {

/// Fills in what may be left out (a fusion node over all branches, plans from cheap to full) and
/// sorts nodes so that inputs come before users. kInvalidArgument with line and cure for an unknown
/// name, a cycle, a branch or node that does not reach the decision, a plan of unknown variants.
Result<void> complete_structure(PipelineConfig& config, const Yaml& yaml);

}  // namespace braid
