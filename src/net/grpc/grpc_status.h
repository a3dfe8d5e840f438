#pragma once
// grpc_status: errors as gRPC says them. Triton's map where it has one: a full queue is
// UNAVAILABLE.

#include <string>

#include <grpcpp/support/status.h>

#include "base/result.h"

namespace braid {

grpc::Status to_status(const Error& error);

/// RESOURCE_EXHAUSTED: the server itself is full, not one queue of it.
grpc::Status server_full(const Error& error);

/// The other way, for a client: the code nearest to a grpc::StatusCode.
Code code_from(int status);

/// "UNAVAILABLE" of a grpc::StatusCode; "status 99" of what is none.
std::string status_name(int status);

}  // namespace braid
