#include "net/service.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "net/decide.h"
#include "net/deflate.h"
#include "net/infer_json.h"
#include "net/infer_raw.h"
#include "net/inflate.h"
#include "net/json_depth.h"
#include "net/pipeline_facts.h"
#include "net/status.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

constexpr std::string_view kJsonSize = "Inference-Header-Content-Length";
constexpr const char* kRequestId = "X-Request-Id";

HttpResponse to_response(const NoRoute& none) {
  HttpResponse response = http_error(none.status, none.message);
  if (!none.allow.empty()) {
    response.headers.emplace_back("Allow", none.allow);
  }
  return response;
}

HttpResponse json_response(int status, const Json& json) {
  return {.status = status, .body = json.dump()};
}

/// The client's X-Request-Id; empty when there is none that can be used.
std::string request_id(const HttpRequest& request) {
  const std::string_view* value = request.header(kRequestId);
  return value == nullptr ? std::string() : std::string(usable_request_id(*value).value_or(""));
}

/// Unset when the header is absent. Only digits: "12abc" once passed elsewhere.
Result<std::optional<std::size_t>> json_size(const HttpRequest& request) {
  const std::string_view* value = request.header(kJsonSize);
  if (value == nullptr) {
    return std::optional<std::size_t>();
  }
  std::size_t size = 0;
  const auto [end, failure] = std::from_chars(value->data(), value->data() + value->size(), size);
  if (failure != std::errc() || end != value->data() + value->size() ||
      request.header_count(kJsonSize) > 1) {
    return Error{Code::kInvalidArgument, fmt::format("{} must be one whole number, not '{}'",
                                                     kJsonSize, value->substr(0, 100))};
  }
  return std::optional(size);
}

Result<InferRequest> read_infer(const HttpRequest& request, const Body& body,
                                const ModelSpec* spec) {
  BRAID_TRY(const std::optional<std::size_t> size, json_size(request));
  if (size.has_value() && *size == 0) {
    return spec != nullptr ? raw_request(*spec, body.bytes())
                           : Error{Code::kInvalidArgument,
                                   "a pipeline takes no raw binary request; send a JSON header"};
  }
  return parse_infer(body, size);
}

HttpResponse to_response(const Result<Json>& answer) {
  return answer.has_value() ? json_response(200, *answer) : braid::to_response(answer.error());
}

/// Only what is large for its data. The official aio client says that it accepts gzip, and then
/// reads metadata, statistics and errors as they come.
bool may_compress(Endpoint endpoint, int status) {
  return status == 200 && (endpoint == Endpoint::kInfer || endpoint == Endpoint::kDecide);
}

bool takes_no_body(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kServer:
    case Endpoint::kModel:
    case Endpoint::kModelReady:
    case Endpoint::kConfig:
    case Endpoint::kStatistics:
    case Endpoint::kLogging:
    case Endpoint::kTrace:
    case Endpoint::kPipeline:
      return true;
    default:
      return false;
  }
}

/// An empty body is an empty map.
Result<Json> json_map(const Body& body, std::size_t depth_max) {
  if (body.bytes().find_first_not_of(" \t\r\n") == Bytes::npos) {
    return Json(Json::Map());
  }
  BRAID_TRY_DO(check_json_depth(body.bytes(), depth_max));
  BRAID_TRY(Json json, Json::parse(body.bytes()));
  if (json.map() == nullptr) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the body is {}, but a map is wanted", json.kind())};
  }
  return json;
}

Result<bool> ready_only_of(const Json& wanted) {
  for (const auto& [key, value] : *wanted.map()) {
    if (key != "ready" || value.boolean() == nullptr) {
      return Error{Code::kInvalidArgument,
                   fmt::format("'{}' is {}; the index takes 'ready', true or false",
                               key.substr(0, 100), value.kind())};
    }
  }
  const Json* ready = wanted.find("ready");
  return ready != nullptr && *ready->boolean();
}

}  // namespace

Service::Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
                 const Clock& clock)
    : Service(engine, dispatcher, store, metrics, clock, Options()) {}

Service::Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
                 const Clock& clock, Options options)
    : engine_(engine),
      clock_(clock),
      options_(std::move(options)),
      protocol_(engine, dispatcher, store, metrics, clock, options_.protocol),
      meter_(metrics) {}

Service::Noted Service::note(Endpoint endpoint, const HttpRequest& request) const {
  if (protocol_.access_log() == nullptr) {
    return nullptr;
  }
  return std::make_shared<AccessEntry>(AccessEntry{.wire = "http",
                                                   .call = to_string(endpoint),
                                                   .id = request_id(request),
                                                   .peer = std::string(request.peer),
                                                   .begin = clock_.now(),
                                                   .bytes_in = request.body.size()});
}

HttpReply Service::metered(Endpoint endpoint, const HttpRequest& request, Noted noted,
                           HttpReply reply) {
  meter_.begin();
  const std::string_view* accepted = request.header("accept-encoding");
  const Coding coding = accepted == nullptr ? Coding::kNone : accepted_coding(*accepted);
  return HttpReply([this, endpoint, coding, begin = clock_.now(), id = request_id(request),
                    noted = std::move(noted),
                    reply = std::move(reply)](HttpResponse response) mutable {
    if (may_compress(endpoint, response.status)) {
      encode_body(coding, response);
    }
    meter_.end(endpoint, response.status, clock_.now() - begin);
    const AccessLog* log = noted == nullptr ? nullptr : protocol_.access_log();
    if (log != nullptr) {
      noted->status = response.status;
      noted->bytes_out = response.body.size();
      log->write(*noted);
      id = noted->id;
    }
    if (usable_request_id(id).has_value()) {
      response.headers.emplace_back(kRequestId, std::move(id));
    }
    std::move(reply)(std::move(response));
  });
}

void Service::handle(const HttpRequest& request, HttpReply reply) {
  const auto found = find_route(request.method, request.target);
  if (const NoRoute* none = std::get_if<NoRoute>(&found)) {
    return metered(Endpoint::kNone, request, note(Endpoint::kNone, request),
                   std::move(reply))(to_response(*none));
  }
  const Route& route = std::get<Route>(found);
  const Noted noted = note(route.endpoint, request);
  if (noted != nullptr) {
    noted->name = route.name;
  }
  answer(route, request, noted, metered(route.endpoint, request, noted, std::move(reply)));
}

void Service::answer(const Route& route, const HttpRequest& request, const Noted& noted,
                     HttpReply reply) {
  if (route.endpoint == Endpoint::kLive || route.endpoint == Endpoint::kReady) {
    return std::move(reply)(health(route.endpoint));
  }
  if (takes_no_body(route.endpoint)) {
    return std::move(reply)(to_response(read(route)));
  }
  Body inflated;
  const Result<const Body*> body = decoded_body(request, options_.inflated_bytes_max, inflated);
  if (!body.has_value()) {
    const bool too_large = body.error().code == Code::kExhausted;
    return std::move(reply)(too_large ? http_error(413, body.error().describe())
                                      : braid::to_response(body.error()));
  }
  ByteClaim claim(options_.credits);
  if (inflated.size() > 0) {
    if (!claim.grow(inflated.size())) {
      return std::move(reply)(braid::to_response(claim.refusal()));
    }
    reply =
        HttpReply([claim = std::move(claim), reply = std::move(reply)](
                      HttpResponse response) mutable { std::move(reply)(std::move(response)); });
  }
  switch (route.endpoint) {
    case Endpoint::kInfer:
      return infer(route, request, **body, noted, std::move(reply));
    case Endpoint::kDecide:
      return decide(route, request, **body, noted, std::move(reply));
    case Endpoint::kLoad:
    case Endpoint::kUnload:
      return control(route, request, **body, std::move(reply));
    default:
      return std::move(reply)(to_response(change(route, **body)));
  }
}

HttpResponse Service::health(Endpoint endpoint) const {
  Json json;
  json.set("live", true);
  if (endpoint == Endpoint::kLive) {
    return json_response(200, json);
  }
  json.set("ready", protocol_.ready());
  if (!protocol_.ready()) {
    json.set("error", "still loading, or shutting down");
  }
  return json_response(protocol_.ready() ? 200 : 503, json);
}

Result<Json> Service::read(const Route& route) const {
  switch (route.endpoint) {
    case Endpoint::kServer:
      return protocol_.catalogue().server();
    case Endpoint::kModel:
      return protocol_.catalogue().metadata(route.name, route.version);
    case Endpoint::kModelReady:
      return protocol_.catalogue().readiness(route.name, route.version);
    case Endpoint::kConfig:
      return protocol_.catalogue().config(route.name, route.version);
    case Endpoint::kStatistics:
      return protocol_.catalogue().statistics(route.name, route.version);
    case Endpoint::kLogging:
      return protocol_.settings().logging();
    case Endpoint::kPipeline: {
      BRAID_TRY(const auto found, protocol_.catalogue().find_pipeline(route.name, route.version));
      return found->describe();
    }
    default:
      break;
  }
  if (!route.name.empty()) {  // trace settings of one model
    BRAID_TRY([[maybe_unused]] const auto found, protocol_.catalogue().find(route.name, {}));
  }
  return protocol_.settings().trace();
}

Result<Json> Service::change(const Route& route, const Body& body) {
  BRAID_TRY(const Json wanted, json_map(body, options_.json_depth_max));
  if (route.endpoint == Endpoint::kIndex) {
    BRAID_TRY(const bool ready_only, ready_only_of(wanted));
    return protocol_.catalogue().index(ready_only);
  }
  if (route.endpoint == Endpoint::kSetLogging) {
    BRAID_TRY_DO(protocol_.settings().set_logging(wanted));
    return protocol_.settings().logging();
  }
  BRAID_TRY_DO(protocol_.settings().set_trace(wanted));
  if (!route.name.empty()) {
    BRAID_TRY([[maybe_unused]] const auto found, protocol_.catalogue().find(route.name, {}));
  }
  return protocol_.settings().trace();
}

void Service::control(const Route& route, const HttpRequest& request, const Body& body,
                      HttpReply reply) {
  const Result<Json> wanted = json_map(body, options_.json_depth_max);
  if (!wanted.has_value()) {
    return std::move(reply)(braid::to_response(wanted.error()));
  }
  protocol_.control(route.endpoint == Endpoint::kLoad, route.name, *wanted, request.from_loopback,
                    [reply = std::move(reply)](Result<void> done) mutable {
                      std::move(reply)(done.has_value()
                                           ? HttpResponse{.content_type = "", .body = ""}
                                           : braid::to_response(done.error()));
                    });
}

void Service::infer(const Route& route, const HttpRequest& request, const Body& body,
                    const Noted& noted, HttpReply reply) {
  Result<Catalogue::Target> found = protocol_.catalogue().find(route.name, route.version);
  if (!found.has_value()) {
    return std::move(reply)(braid::to_response(found.error()));
  }
  Catalogue::Target target = *std::move(found);
  Result<InferRequest> parsed =
      read_infer(request, body, target.model != nullptr ? &target.model->spec() : nullptr);
  if (!parsed.has_value()) {
    protocol_.meter_of(target).refuse(parsed.error().code);
    return std::move(reply)(braid::to_response(parsed.error()));
  }
  InferRequest whole = *std::move(parsed);
  if (whole.timeout.has_value()) {
    *whole.timeout -= request.age;
  }
  if (noted != nullptr && noted->id.empty()) {
    noted->id = whole.id;
  }
  InferDone done = [reply = std::move(reply)](Result<InferReply> answer) mutable {
    Result<HttpResponse> encoded =
        answer.has_value() ? encode_reply(*answer) : Result<HttpResponse>(answer.error());
    std::move(reply)(encoded.has_value() ? *std::move(encoded)
                                         : braid::to_response(encoded.error()));
  };
  protocol_.infer(std::move(target), std::move(whole), request.cancel, std::move(done));
}

void Service::decide(const Route& route, const HttpRequest& request, const Body& body,
                     const Noted& noted, HttpReply reply) {
  const auto found = protocol_.catalogue().find_pipeline(route.name, route.version);
  if (!found.has_value()) {
    return std::move(reply)(braid::to_response(found.error()));
  }
  const std::string_view* content_type = request.header("content-type");
  const std::string_view kind = content_type == nullptr ? "" : *content_type;
  Result<Request> parsed =
      parse_decide(facts_of(**found), kind, body.bytes(), clock_, options_.json_depth_max);
  RequestMeter& meter = protocol_.meter_of({.pipeline = *found, .model = nullptr});
  if (!parsed.has_value()) {
    meter.refuse(parsed.error().code);
    return std::move(reply)(braid::to_response(parsed.error()));
  }
  Request whole = *std::move(parsed);
  whole.cancel = request.cancel;
  if (whole.deadline != Deadline::never()) {
    whole.deadline = Deadline::after(clock_, whole.deadline.left(clock_) - request.age);
  }
  whole.id = whole.id.empty() ? request_id(request) : std::move(whole.id);
  if (noted != nullptr) {
    whole.id = whole.id.empty() ? new_uuid_v7() : std::move(whole.id);
    noted->id = noted->id.empty() ? whole.id : std::move(noted->id);
  }
  meter.begin();
  whole.reply = Reply([&meter, this, begin = clock_.now(),
                       reply = std::move(reply)](Result<Decision> decision) mutable {
    meter.end(decision.has_value() ? std::nullopt : std::optional(decision.error().code),
              clock_.now() - begin);
    std::move(reply)(decision.has_value() ? json_response(200, to_json(*decision))
                                          : braid::to_response(decision.error()));
  });
  engine_.submit(std::move(whole));
}

}  // namespace braid
