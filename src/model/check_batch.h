#pragma once
// check_batch: whether a batch is what a model takes. Every backend asks it first, since a runtime
// that is handed another shape may read what is not there.

#include "base/result.h"
#include "model/model.h"

namespace braid {

/// Rows of one run when neither file nor config says otherwise.
inline constexpr std::size_t kRowsDefault = 32;

/// kInvalidArgument, naming what came and what is wanted, when an input is missing, unknown or
/// comes twice, when dtype or shape differ, when axis 0 is not row_count, or above rows_max.
Result<void> check_batch(const ModelSpec& spec, const Batch& batch);

}  // namespace braid
