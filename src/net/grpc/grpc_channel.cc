#include "net/grpc/grpc_channel.h"

#include <vector>

#include <fmt/format.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include "net/grpc/grpc_status.h"
#include "net/grpc/grpc_time.h"

namespace braid {
namespace {

Error silent(const ServerAddress& address, Duration patience) {
  return Error{Code::kDeadlineExceeded,
               fmt::format("{} does not answer within {} ms", address.authority(),
                           std::chrono::ceil<std::chrono::milliseconds>(patience).count())};
}

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (buffer.Valid() && buffer.Dump(&slices).ok()) {
    for (const grpc::Slice& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
  }
  return bytes;
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> open_grpc_channel(const ServerAddress& address,
                                                         Duration patience) {
  {  // says at once, and why, that nobody listens
    BRAID_TRY_DO(connect_to(address, patience));
  }
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  std::shared_ptr<grpc::Channel> channel =
      grpc::CreateCustomChannel(address.authority(), grpc::InsecureChannelCredentials(), arguments);
  const gpr_timespec until = after(patience);
  grpc_connectivity_state state = channel->GetState(true);
  while (state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) {
      return Error{Code::kUnavailable,
                   fmt::format("{} takes connections and speaks no gRPC; is this its gRPC port?",
                               address.authority())};
    }
    if (!channel->WaitForStateChange(state, until)) {
      return silent(address, patience);
    }
    state = channel->GetState(true);
  }
  return channel;
}

Result<std::string> ask_grpc(const ServerAddress& address, const std::string& method,
                             const std::string& message, Duration patience) {
  BRAID_TRY(const std::shared_ptr<grpc::Channel> channel, open_grpc_channel(address, patience));
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(after(patience));
  const grpc::Slice slice(message);
  grpc::ByteBuffer answer;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  queue.Shutdown();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return silent(address, patience).within("is the model too slow for --timeout-ms?");
  }
  if (!status.ok()) {
    return Error{code_from(status.error_code()),
                 fmt::format("{}: gRPC {}: {}", address.authority(),
                             status_name(status.error_code()), status.error_message())};
  }
  return bytes_of(answer);
}

}  // namespace braid
