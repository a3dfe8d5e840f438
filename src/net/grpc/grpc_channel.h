#pragma once
// grpc_channel: a connection to a gRPC server, and one question by itself: what a load over gRPC
// asks before it begins. Blocks the calling thread.

#include <memory>
#include <string>

#include "net/load/server_address.h"

namespace grpc {
class Channel;
}

namespace braid {

inline constexpr const char* kModelInferMethod = "/inference.GRPCInferenceService/ModelInfer";

/// A connection of its own, shared with no other channel of the process. kUnavailable when the
/// server is not there or speaks no gRPC, kDeadlineExceeded when it is silent for `patience`.
Result<std::shared_ptr<grpc::Channel>> open_grpc_channel(const ServerAddress& address,
                                                         Duration patience);

/// One call with the bytes of its message; the bytes of the answer. A refusal is an error of the
/// code nearest to gRPC's, with the server's words: `gRPC NOT_FOUND: no model 'x'`.
Result<std::string> ask_grpc(const ServerAddress& address, const std::string& method,
                             const std::string& message, Duration patience);

}  // namespace braid
