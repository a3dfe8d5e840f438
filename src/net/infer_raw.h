#pragma once
// infer_raw: the binary extension's raw request: the whole body is the one input of a model.

#include "base/bytes.h"
#include "model/model.h"
#include "net/infer_request.h"

namespace braid {

/// One row; the one axis that may vary is told by the size. BYTES take the body as one element.
/// All outputs come back binary. kInvalidArgument when the model does not lend itself to it.
Result<InferRequest> raw_request(const ModelSpec& spec, Bytes body);

}  // namespace braid
