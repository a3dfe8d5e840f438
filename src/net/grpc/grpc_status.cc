#include "net/grpc/grpc_status.h"

namespace braid {
namespace {

grpc::StatusCode status_code(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case Code::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case Code::kUnsupported:
      return grpc::StatusCode::UNIMPLEMENTED;
    case Code::kExhausted:
    case Code::kUnavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case Code::kDeadlineExceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case Code::kCancelled:
      return grpc::StatusCode::CANCELLED;
    case Code::kInternal:
      break;
  }
  return grpc::StatusCode::INTERNAL;
}

}  // namespace

grpc::Status to_status(const Error& error) { return {status_code(error.code), error.describe()}; }

grpc::Status server_full(const Error& error) {
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, error.describe()};
}

}  // namespace braid
