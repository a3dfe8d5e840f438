#pragma once
// GrpcNote: what the access log will say of one gRPC call; nothing while it is off.
// Threads: as its call.

#include <memory>
#include <string>

#include "net/protocol.h"

namespace grpc {
class ServerContext;
}

namespace braid {

class GrpcNote {
 public:
  /// `call` is constant text, such as a message descriptor's name.
  GrpcNote(Protocol& protocol, const grpc::ServerContext& context, std::string_view call,
           std::size_t bytes_in);

  void about(const std::string& name, const std::string& id);
  /// `code` is a grpc::StatusCode.
  void end(int code, std::size_t bytes_out = 0);

 private:
  const AccessLog* log_;  // null: off
  std::unique_ptr<AccessEntry> entry_;
};

}  // namespace braid
