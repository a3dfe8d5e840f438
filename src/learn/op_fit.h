#pragma once
// Fits the parameters of a fusion operator on what its inputs said out of fold, and asks the
// operator itself, the very code that serves, what it makes of them. Threads: pure.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "fusion/fusion_op.h"
#include "learn/fit_data.h"
#include "learn/vote.h"
#include "serve/pipeline_config.h"

namespace braid {

/// kUnsupported for settings that nothing is fitted for, with the cure.
Result<void> check_fittable(const NodeConfig& node);

/// The operator's entry of fitted.json, without spaces and temperature; an empty map for one that
/// has no parameters. `members` are the node's inputs, over all rows; `rows` those to fit on.
Json fit_op(const NodeConfig& node, std::span<const Member> members, const FitData& data,
            std::span<const std::size_t> rows);

/// What the operator with those parameters says of `rows`, written into those rows of `into`.
Result<void> apply_op(const NodeConfig& node, const Json& parameters,
                      const Registry<FusionOp>& fusion_ops, std::span<const Member> members,
                      const FitData& data, std::span<const std::size_t> rows, Member& into);

}  // namespace braid
