#pragma once
// complete_spec: what a model's file says of its tensors, held against what config.pbtxt says.

#include "base/result.h"
#include "model/model.h"

namespace braid {

/// The spec that a model has under its config: the config's dims where it gives any, its choice of
/// outputs and of optional inputs, its max_batch_size. `from_file.rows_max` is 0 when the file
/// cannot join rows; its optional inputs are those that have a default in the file.
/// kInvalidArgument names both sides when config and file contradict each other.
Result<ModelSpec> complete_spec(ModelSpec from_file, const ModelConfig& config);

}  // namespace braid
