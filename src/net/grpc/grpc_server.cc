#include "net/grpc/grpc_server.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>

#include "base/worker_pool.h"
#include "net/grpc/grpc_call.h"
#include "net/grpc/grpc_health.h"
#include "net/grpc/grpc_infer.h"
#include "net/grpc/grpc_note.h"
#include "net/grpc/grpc_settings.h"
#include "net/grpc/grpc_stream.h"
#include "net/grpc/grpc_time.h"

namespace braid {
namespace {

using Service = GrpcInferService;
using InferCall = GrpcCall<grpc::ByteBuffer, grpc::ByteBuffer>;

/// Waits are posted this many times, so that calls that come together do not wait for the poller.
constexpr int kWaits = 16;
constexpr int kRoundMax = 256;  // looks at the queue, before what was gathered is run
/// In vain one after the other, before a round ends: gRPC reads one connection a look, and what it
/// reads there may be no call, but what a client says of the connection.
constexpr int kLooksInVain = 2;

/// The catalogue's JSON has the messages' own names.
template <typename Message>
Result<Message> from_json(const Json& json) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  Message message;
  const auto status = google::protobuf::util::JsonStringToMessage(json.dump(), &message, options);
  if (!status.ok()) {
    return Error{Code::kInternal, fmt::format("an answer is no {}: {}", message.GetTypeName(),
                                              std::string(status.message()))};
  }
  return message;
}

template <typename T>
grpc::StatusCode code_of(const Result<T>& result) {
  return result.has_value() ? grpc::StatusCode::OK : to_status(result.error()).error_code();
}

bool is_loopback(const std::string& peer) {
  return peer.starts_with("ipv4:127.") || peer.starts_with("ipv6:[::1]") ||
         peer.starts_with("ipv6:%5B::1%5D") || peer.starts_with("unix:");
}

/// Until the client gives up; unset when it never does.
std::optional<Duration> time_left(const grpc::ServerContext& context) {
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) {
    return std::nullopt;
  }
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return std::chrono::seconds(left.tv_sec) + std::chrono::nanoseconds(left.tv_nsec);
}

int as_int(std::size_t number) {
  return static_cast<int>(std::min<std::size_t>(number, std::numeric_limits<int>::max()));
}

int as_int_ms(Duration duration) {
  return as_int(static_cast<std::size_t>(
      std::max<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(duration).count(), 1)));
}

/// What gRPC says for itself, such as of a port that is taken, our own errors say in one line.
void drop_log(gpr_log_func_args*) {}

}  // namespace

struct GrpcServer::State {
  State(Options given_options, Protocol& given, const Clock& given_clock, Metrics& metrics)
      : options(std::move(given_options)),
        protocol(given),
        clock(given_clock),
        answered(metrics.counter("braid_grpc_calls_total", "gRPC calls by outcome.",
                                 {{"outcome", "answered"}})),
        refused(metrics.counter("braid_grpc_calls_total", "gRPC calls by outcome.",
                                {{"outcome", "refused"}})) {}

  Result<void> listen();
  void wait_for_all();
  void poll();
  void proceed_with_what_is_there();
  void stop(Duration patience);

  /// Answers at once, on the poller, from what is known.
  template <typename Message, typename Reply, typename Wait, typename Answer>
  void serve(Wait wait, Answer answer) {
    serve_later<Message, Reply>(wait, [this, answer](const auto& call) {
      GrpcNote note(protocol, call->context(), Message::descriptor()->name(), 0);
      const Result<Reply> reply = answer(call->message());
      (reply.has_value() ? answered : refused).add();
      note.end(code_of(reply));
      call->finish(reply);
    });
  }
  template <typename Message, typename Reply, typename Wait, typename Handle>
  void serve_later(Wait wait, Handle handle) {
    using Call = GrpcCall<Message, Reply>;
    const typename Call::Wait post = [this, wait](grpc::ServerContext* context, Message* message,
                                                  typename Call::Responder* responder,
                                                  GrpcTag* tag) {
      (service.*wait)(context, message, responder, queue.get(), queue.get(), tag);
    };
    for (int i = 0; i < kWaits; ++i) {
      Call::next(post, handle, live);
    }
  }

  void serve_metadata();
  void serve_repository();
  void infer(const InferCall::Self& call);
  template <typename Call>
  void control(const std::shared_ptr<Call>& call, bool is_load);

  const Options options;
  Protocol& protocol;
  const Clock& clock;
  Counter& answered;
  Counter& refused;
  GrpcLive live = 0;
  Service service;
  GrpcHealth health{protocol, live};
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
  std::thread poller;
};

Result<void> GrpcServer::State::listen() {
  gpr_set_log_function(drop_log);
  grpc::ServerBuilder builder;
  const std::string address = fmt::format("{}:{}", options.address, options.port);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, as_int(options.head_bytes_max));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             as_int_ms(options.handshake_timeout));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, as_int_ms(options.idle_timeout));
  builder.RegisterService(&service);
  builder.RegisterService(&health.service());
  builder.SetMaxReceiveMessageSize(as_int(options.message_bytes_max));
  builder.SetMaxSendMessageSize(-1);
  queue = builder.AddCompletionQueue();
  server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return Error{Code::kUnavailable,
                 fmt::format("cannot listen on {} for gRPC: the port is taken, or the address is "
                             "not this machine's; choose another with --grpc-port",
                             address)};
  }
  return {};
}

void GrpcServer::State::serve_metadata() {
  using namespace inference;  // NOLINT(google-build-using-namespace): a dozen message names
  serve<ServerLiveRequest, ServerLiveResponse>(
      &Service::RequestServerLive, [](const ServerLiveRequest&) -> Result<ServerLiveResponse> {
        ServerLiveResponse reply;
        reply.set_live(true);
        return reply;
      });
  serve<ServerReadyRequest, ServerReadyResponse>(
      &Service::RequestServerReady,
      [this](const ServerReadyRequest&) -> Result<ServerReadyResponse> {
        ServerReadyResponse reply;
        reply.set_ready(protocol.ready());
        return reply;
      });
  serve<ServerMetadataRequest, ServerMetadataResponse>(
      &Service::RequestServerMetadata, [this](const ServerMetadataRequest&) {
        return from_json<ServerMetadataResponse>(protocol.catalogue().server());
      });
  serve<ModelReadyRequest, ModelReadyResponse>(
      &Service::RequestModelReady,
      [this](const ModelReadyRequest& message) -> Result<ModelReadyResponse> {
        BRAID_TRY(const auto version, version_from(message.version()));
        const Result<Json> known = protocol.catalogue().readiness(message.name(), version);
        ModelReadyResponse reply;  // official clients take an error for a broken server
        reply.set_ready(known.has_value());
        return reply;
      });
  serve<ModelMetadataRequest, ModelMetadataResponse>(
      &Service::RequestModelMetadata,
      [this](const ModelMetadataRequest& message) -> Result<ModelMetadataResponse> {
        BRAID_TRY(const auto version, version_from(message.version()));
        BRAID_TRY(const Json json, protocol.catalogue().metadata(message.name(), version));
        return from_json<ModelMetadataResponse>(json);
      });
  serve<ModelConfigRequest, ModelConfigResponse>(
      &Service::RequestModelConfig,
      [this](const ModelConfigRequest& message) -> Result<ModelConfigResponse> {
        BRAID_TRY(const auto version, version_from(message.version()));
        BRAID_TRY(Json config, protocol.catalogue().config(message.name(), version));
        Json json;
        json.set("config", std::move(config));
        return from_json<ModelConfigResponse>(json);
      });
  serve<ModelStatisticsRequest, ModelStatisticsResponse>(
      &Service::RequestModelStatistics,
      [this](const ModelStatisticsRequest& message) -> Result<ModelStatisticsResponse> {
        BRAID_TRY(const auto version, version_from(message.version()));
        BRAID_TRY(const Json json, protocol.catalogue().statistics(message.name(), version));
        return from_json<ModelStatisticsResponse>(json);
      });
}

void GrpcServer::State::serve_repository() {
  using namespace inference;  // NOLINT(google-build-using-namespace): a dozen message names
  serve<RepositoryIndexRequest, RepositoryIndexResponse>(
      &Service::RequestRepositoryIndex, [this](const RepositoryIndexRequest& message) {
        Json json;
        json.set("models", protocol.catalogue().index(message.ready()));
        return from_json<RepositoryIndexResponse>(json);
      });
  serve_later<RepositoryModelLoadRequest, RepositoryModelLoadResponse>(
      &Service::RequestRepositoryModelLoad, [this](const auto& call) { control(call, true); });
  serve_later<RepositoryModelUnloadRequest, RepositoryModelUnloadResponse>(
      &Service::RequestRepositoryModelUnload, [this](const auto& call) { control(call, false); });
  serve<TraceSettingRequest, TraceSettingResponse>(
      &Service::RequestTraceSetting,
      [this](const TraceSettingRequest& message) { return change_trace(message, protocol); });
  serve<LogSettingsRequest, LogSettingsResponse>(
      &Service::RequestLogSettings,
      [this](const LogSettingsRequest& message) { return change_logging(message, protocol); });
  serve_later<grpc::ByteBuffer, grpc::ByteBuffer>(&Service::RequestModelInfer,
                                                  [this](const auto& call) { infer(call); });
  for (int i = 0; i < kWaits; ++i) {
    GrpcStream::next(service, *queue, protocol, options.credits, live);
  }
}

template <typename Call>
void GrpcServer::State::control(const std::shared_ptr<Call>& call, bool is_load) {
  Json body;
  for (const auto& [name, value] : call->message().parameters()) {
    Json parameters = body.find("parameters") == nullptr ? Json() : *body.find("parameters");
    parameters.set(name, value.has_bool_param() ? Json(value.bool_param()) : Json("other"));
    body.set("parameters", std::move(parameters));
  }
  GrpcNote note(protocol, call->context(),
                is_load ? "RepositoryModelLoad" : "RepositoryModelUnload", 0);
  note.about(call->message().model_name(), "");
  protocol.control(is_load, call->message().model_name(), body.is_null() ? Json(Json::Map()) : body,
                   is_loopback(call->context().peer()),
                   [call, note = std::move(note)](Result<void> done) mutable {
                     using Empty = typename Call::ReplyMessage;
                     note.end(code_of(done));
                     call->finish(done.has_value() ? Result<Empty>(Empty())
                                                   : Result<Empty>(std::move(done).error()));
                   });
}

void GrpcServer::State::infer(const InferCall::Self& call) {
  const std::size_t bytes = call->message().Length();
  GrpcNote note(protocol, call->context(), "ModelInfer", bytes);
  const auto fail = [&](const grpc::Status& status) {
    refused.add();
    note.end(status.error_code());
    call->refuse(status);
  };
  ByteClaim claim(options.credits);
  if (!claim.grow(bytes)) {
    return fail(server_full(claim.refusal()));
  }
  const Result<GrpcWire> wire = GrpcWire::read(call->message());
  if (!wire.has_value()) {
    return fail(to_status(wire.error()));
  }
  const inference::ModelInferRequest& message = wire->message();
  note.about(message.model_name(), message.id());
  const Result<std::optional<std::int64_t>> version = version_from(message.model_version());
  if (!version.has_value()) {
    return fail(to_status(version.error()));
  }
  Result<Catalogue::Target> target = protocol.catalogue().find(message.model_name(), *version);
  if (!target.has_value()) {
    return fail(to_status(target.error()));
  }
  Result<InferRequest> request = read_infer(*wire);
  if (!request.has_value()) {
    protocol.meter_of(*target).refuse(request.error().code);
    return fail(to_status(request.error()));
  }
  InferRequest whole = *std::move(request);
  if (const std::optional<Duration> left = time_left(call->context())) {
    whole.timeout = std::min(whole.timeout.value_or(*left), *left);
  }
  protocol.infer(*std::move(target), std::move(whole), call->cancel(),
                 [this, call, claim = std::move(claim),
                  note = std::move(note)](Result<InferReply> reply) mutable {
                   (reply.has_value() ? answered : refused).add();
                   if (!reply.has_value()) {
                     note.end(code_of(reply));
                     return call->finish(std::move(reply).error());
                   }
                   inference::ModelInferResponse written;
                   write_infer(*reply, written);
                   grpc::ByteBuffer answer = to_wire(written);
                   note.end(grpc::StatusCode::OK, answer.Length());
                   call->finish(std::move(answer));
                 });
}

void GrpcServer::State::poll() {
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) {
    const bool is_one_of_many = live.load() > 0;
    if (is_one_of_many) {
      protocol.begin_round();
    }
    static_cast<GrpcTag*>(tag)->proceed(ok);
    if (is_one_of_many) {
      proceed_with_what_is_there();
      protocol.end_round();
    }
  }
}

void GrpcServer::State::proceed_with_what_is_there() {
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec past = gpr_inf_past(GPR_CLOCK_MONOTONIC);
  int looks_left = kLooksInVain;
  for (int i = 0; i < kRoundMax && looks_left > 0; ++i) {
    if (queue->AsyncNext(&tag, &ok, past) != grpc::CompletionQueue::GOT_EVENT) {
      --looks_left;
      continue;
    }
    looks_left = kLooksInVain;
    static_cast<GrpcTag*>(tag)->proceed(ok);
  }
}

// The queue must outlive the last Finish, so it is shut down when no call is inside.
void GrpcServer::State::stop(Duration patience) {
  if (!poller.joinable()) {
    return;
  }
  health.stop();
  server->Shutdown(after(patience));
  Mutex mutex;
  Condition never;
  while (live.load() > 0) {
    const Lock lock(mutex);
    clock.wait_until(never, mutex, clock.now() + std::chrono::milliseconds(2));
  }
  queue->Shutdown();
  poller.join();
}

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(const Options& options, Protocol& protocol,
                                                      const Clock& clock, Metrics& metrics) {
  auto state = std::make_unique<State>(options, protocol, clock, metrics);
  BRAID_TRY_DO(state->listen());
  state->serve_metadata();
  state->serve_repository();
  state->health.start(*state->queue);
  state->poller = std::thread([&running = *state] {
    name_this_thread("grpc");
    running.poll();
  });
  return std::make_unique<GrpcServer>(std::move(state));
}

GrpcServer::GrpcServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

GrpcServer::~GrpcServer() { stop(Duration::zero()); }

std::uint16_t GrpcServer::port() const { return static_cast<std::uint16_t>(state_->port); }

void GrpcServer::stop(Duration patience) { state_->stop(patience); }

}  // namespace braid
