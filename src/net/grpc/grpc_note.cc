#include "net/grpc/grpc_note.h"

#include <grpcpp/server_context.h>

namespace braid {

GrpcNote::GrpcNote(Protocol& protocol, const grpc::ServerContext& context, std::string_view call,
                   std::size_t bytes_in)
    : log_(protocol.access_log()) {
  if (log_ == nullptr) {
    return;
  }
  const auto& metadata = context.client_metadata();
  const auto given = metadata.find("x-request-id");
  const std::string_view id = given == metadata.end()
                                  ? std::string_view()
                                  : std::string_view(given->second.data(), given->second.size());
  entry_ = std::make_unique<AccessEntry>(
      AccessEntry{.wire = "grpc",
                  .call = call,
                  .id = std::string(usable_request_id(id).value_or("")),
                  .peer = context.peer(),
                  .begin = protocol.clock().now(),
                  .bytes_in = bytes_in});
}

void GrpcNote::about(const std::string& name, const std::string& id) {
  if (entry_ != nullptr) {
    entry_->name = name;
    entry_->id = entry_->id.empty() ? id : entry_->id;
  }
}

void GrpcNote::end(int code, std::size_t bytes_out) {
  if (entry_ != nullptr) {
    entry_->status = code;
    entry_->bytes_out = bytes_out;
    log_->write(*entry_);
  }
}

}  // namespace braid
