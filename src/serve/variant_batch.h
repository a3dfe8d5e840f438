#pragma once
// The batch that one request is to a variant: one row, or several where an input became several,
// such as the windows of a long text. Threads: pure.

#include <span>

#include "base/result.h"
#include "model/model.h"
#include "serve/pipeline.h"

namespace braid {

/// `encoded`: as Pipeline::config.inputs, null where the variant takes none. An input of one row is
/// repeated beside one of several. kInvalidArgument when two inputs have different numbers of rows,
/// both above one. A model without a batch axis gets all rows as they are, counted as one.
Result<Batch> variant_batch(const Variant& variant, std::span<const Encoded* const> encoded);

}  // namespace braid
