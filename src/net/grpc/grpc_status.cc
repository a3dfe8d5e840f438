#include "net/grpc/grpc_status.h"

#include <array>

#include <fmt/format.h>

namespace braid {
namespace {

/// By number.
constexpr std::array kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

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

Code code_from(int status) {
  switch (status) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::OUT_OF_RANGE:
      return Code::kInvalidArgument;
    case grpc::StatusCode::NOT_FOUND:
      return Code::kNotFound;
    case grpc::StatusCode::UNIMPLEMENTED:
      return Code::kUnsupported;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Code::kExhausted;
    case grpc::StatusCode::UNAVAILABLE:
      return Code::kUnavailable;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Code::kDeadlineExceeded;
    case grpc::StatusCode::CANCELLED:
      return Code::kCancelled;
    default:
      return Code::kInternal;
  }
}

std::string status_name(int status) {
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? kNames[index] : fmt::format("status {}", status);
}

}  // namespace braid
