#pragma once
// grpc_infer: the protocol's gRPC messages to an InferRequest, and an InferReply to a message.
// Strict: what is over, missing, out of range or said twice is refused by name.

#include "net/grpc/grpc_wire.h"
#include "net/infer_reply.h"
#include "net/infer_request.h"

namespace braid {

/// Unset when the text is empty; else a whole number from 1.
Result<std::optional<std::int64_t>> version_from(const std::string& text);

/// Everything is kInvalidArgument, but for kUnsupported extensions.
Result<InferRequest> read_infer(const GrpcWire& wire);

/// Outputs are raw, in order, also where the request had typed contents.
void write_infer(const InferReply& reply, inference::ModelInferResponse& message);

}  // namespace braid
