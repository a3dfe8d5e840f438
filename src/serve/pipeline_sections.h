#pragma once
// The sections of pipeline.yaml one by one, for files that hold the same sections among others: a
// FIT.yaml is a pipeline without what `braid fit` finds out.
// All: kInvalidArgument with file, line and cure.

#include <string>
#include <vector>

#include "base/result.h"
#include "serve/pipeline_config.h"

namespace braid {

Result<std::vector<InputConfig>> parse_inputs(const Settings& root);

/// A variant is a model's name, or a map with `model:` or `identity:`. `branch` is its branch's
/// map.
Result<VariantConfig> parse_variant(const Yaml& yaml, const Settings& branch,
                                    const std::vector<std::string>& branch_inputs);

/// `out_of_domain: {above: 0.99, absent: false}` of a branch's map.
Result<DomainConfig> parse_domain(const Settings& branch);

Result<std::vector<NodeConfig>> parse_nodes(const Settings& root);

Result<std::vector<PlanConfig>> parse_plans(const Settings& root);

}  // namespace braid
