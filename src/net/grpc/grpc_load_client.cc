#include "net/grpc/grpc_load_client.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include "base/check.h"
#include "net/grpc/grpc_channel.h"

namespace braid {
namespace {

/// One call: the queue's tag, so it stays until its event came, also when it was abandoned.
struct Flight {
  std::size_t connection = 0;
  bool abandoned = false;
  std::optional<grpc::ClientContext> context = {};
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader = {};
  grpc::ByteBuffer answer = {};
  grpc::Status status = {};
};

struct Connection {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<grpc::GenericStub> stub;
  std::unique_ptr<Flight> flight;  // used again and again
  bool busy = false;
};

/// steady_clock is the system's monotonic clock, and so is gRPC's.
gpr_timespec to_grpc(TimePoint until) {
  if (until == TimePoint::max()) {
    return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  }
  const auto since = std::chrono::nanoseconds(until.time_since_epoch()).count();
  gpr_timespec time = gpr_time_from_nanos(since, GPR_TIMESPAN);
  time.clock_type = GPR_CLOCK_MONOTONIC;
  return time;
}

}  // namespace

struct GrpcLoadClient::State {
  ~State() {
    for (Connection& connection : connections) {
      if (connection.busy) {
        connection.flight->context->TryCancel();
      }
    }
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
      drop_if_abandoned(static_cast<Flight*>(tag));
    }
  }

  static bool drop_if_abandoned(Flight* flight) {
    if (!flight->abandoned) {
      return false;
    }
    const std::unique_ptr<Flight> owned(flight);
    return true;
  }

  LoadAnswer take(Flight& flight) {
    Connection& connection = connections[flight.connection];
    connection.busy = false;
    flight.answer.Clear();
    const int code = flight.status.error_code();
    // Also what gRPC itself says of a broken connection; then the channel is not ready.
    const bool is_lost = code == grpc::StatusCode::UNAVAILABLE &&
                         connection.channel->GetState(false) != GRPC_CHANNEL_READY;
    if (flight.status.ok()) {
      return {flight.connection, true, code};
    }
    text = flight.status.error_message();
    return {flight.connection, false, is_lost ? LoadAnswer::kLost : code, text};
  }

  std::vector<grpc::ByteBuffer> requests;  // each shares its bytes with the calls
  const std::string method = kModelInferMethod;
  grpc::CompletionQueue queue;
  std::vector<Connection> connections;
  std::string text;  // of the last answer that was not good
};

Result<std::unique_ptr<LoadClient>> GrpcLoadClient::open(const ServerAddress& address,
                                                         std::size_t connection_count,
                                                         const Requests& requests,
                                                         Duration patience) {
  auto state = std::make_unique<State>();
  for (const std::string& message : *requests) {
    const grpc::Slice slice(message);
    state->requests.emplace_back(&slice, 1);
  }
  for (std::size_t i = 0; i < connection_count; ++i) {
    BRAID_TRY(std::shared_ptr<grpc::Channel> channel,
              open_grpc_channel(address, patience)
                  .within(fmt::format("connection {} of {}", i + 1, connection_count)));
    auto stub = std::make_unique<grpc::GenericStub>(channel);
    state->connections.push_back({std::move(channel), std::move(stub), nullptr});
  }
  return std::unique_ptr<LoadClient>(std::make_unique<GrpcLoadClient>(std::move(state)));
}

GrpcLoadClient::GrpcLoadClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
GrpcLoadClient::~GrpcLoadClient() = default;

void GrpcLoadClient::send(std::size_t connection, std::size_t request_index) {
  Connection& to = state_->connections[connection];
  BRAID_CHECK(!to.busy);
  to.busy = true;
  if (to.flight == nullptr) {
    to.flight = std::make_unique<Flight>();
    to.flight->connection = connection;
  }
  Flight& flight = *to.flight;
  flight.reader.reset();  // lies in the call that the context ends
  flight.context.emplace();
  flight.reader = to.stub->PrepareUnaryCall(&*flight.context, state_->method,
                                            state_->requests[request_index], &state_->queue);
  flight.reader->StartCall();
  flight.reader->Finish(&flight.answer, &flight.status, &flight);
}

void GrpcLoadClient::abandon(std::size_t connection) {
  Connection& of = state_->connections[connection];
  if (of.busy) {
    of.busy = false;
    of.flight->abandoned = true;
    of.flight->context->TryCancel();
    static_cast<void>(of.flight.release());  // the queue's now
  }
}

void GrpcLoadClient::wait(TimePoint until, std::vector<LoadAnswer>& answers) {
  void* tag = nullptr;
  bool ok = false;
  if (state_->queue.AsyncNext(&tag, &ok, to_grpc(until)) != grpc::CompletionQueue::GOT_EVENT) {
    return;
  }
  auto* const flight = static_cast<Flight*>(tag);
  if (!State::drop_if_abandoned(flight)) {
    answers.push_back(state_->take(*flight));
  }
}

}  // namespace braid
