#pragma once
// The messages of a load's gRPC requests, made once and sent again and again; and what the server
// says of the model that they are for.

#include <string>

#include "net/load/load_request.h"
#include "net/load/served_model.h"

namespace braid {

/// A ModelInferRequest with raw contents, as protobuf writes it; `options.encoding` is kBinary.
std::string grpc_infer_bytes(const std::string& model, const NamedTensors& inputs,
                             const InferOptions& options);

/// ModelMetadata of the server. Errors with its words: kNotFound for a model that it does not have,
/// kUnavailable when it is not there; kInvalidArgument names a tensor of no type of the protocol's.
Result<ServedModel> fetch_grpc_model(const ServerAddress& address, const std::string& name,
                                     Duration patience);

/// One inference by itself, before a load. A refusal with the server's words.
Result<void> try_grpc(const ServerAddress& address, const std::string& message, Duration patience);

}  // namespace braid
