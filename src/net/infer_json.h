#pragma once
// infer_json: the body of an inference request to an InferRequest: JSON, and the binary tensors
// that may follow it. Strict: unknown keys, double names, what is left over, are all refused.

#include <cstddef>
#include <optional>

#include "net/infer_request.h"
#include "net/padded.h"

namespace braid {

/// `json_size`: the Inference-Header-Content-Length, when the binary extension is used; what
/// follows belongs to the inputs with a binary_data_size, in their order. Everything is
/// kInvalidArgument, but for kUnsupported extensions.
Result<InferRequest> parse_infer(const Body& body, std::optional<std::size_t> json_size);

}  // namespace braid
