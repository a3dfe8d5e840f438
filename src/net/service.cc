#include "net/service.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "net/decide.h"
#include "net/describe.h"
#include "net/infer_json.h"
#include "net/infer_raw.h"
#include "net/inflate.h"
#include "net/model_infer.h"
#include "net/pipeline_infer.h"
#include "net/status.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

constexpr std::string_view kJsonSize = "Inference-Header-Content-Length";

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

}  // namespace

Service::Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
                 const Clock& clock)
    : Service(engine, dispatcher, store, metrics, clock, Options()) {}

Service::Service(Engine& engine, Dispatcher& dispatcher, const ModelStore& store, Metrics& metrics,
                 const Clock& clock, Options options)
    : engine_(engine),
      dispatcher_(dispatcher),
      store_(store),
      clock_(clock),
      options_(std::move(options)),
      meter_(metrics) {}

HttpReply Service::metered(Endpoint endpoint, HttpReply reply) {
  meter_.begin();
  return HttpReply([this, endpoint, begin = clock_.now(),
                    reply = std::move(reply)](HttpResponse response) mutable {
    meter_.end(endpoint, response.status, clock_.now() - begin);
    std::move(reply)(std::move(response));
  });
}

void Service::handle(const HttpRequest& request, HttpReply reply) {
  const auto found = find_route(request.method, request.target);
  if (const NoRoute* none = std::get_if<NoRoute>(&found)) {
    return metered(Endpoint::kNone, std::move(reply))(to_response(*none));
  }
  const Route& route = std::get<Route>(found);
  answer(route, request, metered(route.endpoint, std::move(reply)));
}

void Service::answer(const Route& route, const HttpRequest& request, HttpReply reply) {
  Body inflated;
  switch (route.endpoint) {
    case Endpoint::kServer:
      return std::move(reply)(json_response(200, server_metadata(options_.version)));
    case Endpoint::kLive:
    case Endpoint::kReady:
      return std::move(reply)(health(route.endpoint));
    case Endpoint::kModel:
      return std::move(reply)(model(route));
    case Endpoint::kModelReady:
      return std::move(reply)(model_ready(route));
    case Endpoint::kPipeline:
      return std::move(reply)(pipeline(route));
    case Endpoint::kInfer:
    case Endpoint::kDecide:
    case Endpoint::kNone:
      break;
  }
  const Result<const Body*> body = decoded_body(request, options_.body_bytes_max, inflated);
  if (!body.has_value()) {
    const bool too_large = body.error().code == Code::kExhausted;
    return std::move(reply)(too_large ? http_error(413, body.error().describe())
                                      : braid::to_response(body.error()));
  }
  if (route.endpoint == Endpoint::kInfer) {
    infer(route, request, **body, std::move(reply));
  } else {
    decide(route, request, **body, std::move(reply));
  }
}

HttpResponse Service::health(Endpoint endpoint) const {
  Json json;
  json.set("live", true);
  if (endpoint == Endpoint::kLive) {
    return json_response(200, json);
  }
  json.set("ready", ready_.load());
  if (!ready_) {
    json.set("error", "still loading, or shutting down");
  }
  return json_response(ready_ ? 200 : 503, json);
}

Result<std::shared_ptr<const Pipeline>> Service::find_pipeline(const Route& route) const {
  BRAID_TRY(std::shared_ptr<const Pipeline> found, engine_.pipeline(route.name));
  if (route.version.has_value() && found->config.version != std::to_string(*route.version)) {
    return Error{Code::kNotFound, fmt::format("pipeline '{}' has version '{}', not {}", route.name,
                                              found->config.version, *route.version)};
  }
  return found;
}

// The engine is asked first: it only looks into a map, while the store looks for a folder of a
// model that is not loaded.
Result<Service::Target> Service::find_target(const Route& route) const {
  Target target;
  if (engine_.find(route.name) != nullptr) {
    BRAID_TRY(target.pipeline, find_pipeline(route));
  } else {
    BRAID_TRY(target.model, store_.get(route.name, route.version));
  }
  return target;
}

HttpResponse Service::model(const Route& route) const {
  const Result<Target> target = find_target(route);
  if (!target.has_value()) {
    return braid::to_response(target.error());
  }
  if (target->pipeline != nullptr) {
    const PipelineFacts facts = facts_of(*target->pipeline);
    return json_response(200, model_metadata(facts.name, {facts.version}, "braid_pipeline",
                                             pipeline_inputs(facts), pipeline_outputs(facts)));
  }
  std::vector<std::string> versions;
  for (const ModelStatus& status : store_.index()) {
    if (status.name == route.name && status.ready) {
      versions.push_back(std::to_string(status.version));
    }
  }
  const ModelSpec& spec = target->model->spec();
  return json_response(
      200, model_metadata(route.name, versions, spec.platform, spec.inputs, spec.outputs));
}

HttpResponse Service::model_ready(const Route& route) const {
  const Result<Target> target = find_target(route);
  if (!target.has_value()) {
    return braid::to_response(target.error());
  }
  Json json;
  json.set("name", route.name);
  json.set("ready", true);
  return json_response(200, json);
}

HttpResponse Service::pipeline(const Route& route) const {
  const auto found = find_pipeline(route);
  return found.has_value() ? json_response(200, (*found)->describe())
                           : braid::to_response(found.error());
}

void Service::infer(const Route& route, const HttpRequest& request, const Body& body,
                    HttpReply reply) {
  Result<Target> found = find_target(route);
  if (!found.has_value()) {
    return std::move(reply)(braid::to_response(found.error()));
  }
  Target target = *std::move(found);
  Result<InferRequest> parsed =
      read_infer(request, body, target.model != nullptr ? &target.model->spec() : nullptr);
  if (!parsed.has_value()) {
    return std::move(reply)(braid::to_response(parsed.error()));
  }
  if (target.model != nullptr) {
    return infer_model(std::move(target.model), *std::move(parsed), request.cancel, dispatcher_,
                       clock_, std::move(reply));
  }
  infer_pipeline(
      facts_of(*target.pipeline), *std::move(parsed), request.cancel,
      [&engine = engine_](Request each) { engine.submit(std::move(each)); }, clock_,
      std::move(reply));
}

void Service::decide(const Route& route, const HttpRequest& request, const Body& body,
                     HttpReply reply) {
  const auto found = find_pipeline(route);
  if (!found.has_value()) {
    return std::move(reply)(braid::to_response(found.error()));
  }
  const std::string_view* content_type = request.header("content-type");
  Result<Request> parsed = parse_decide(
      facts_of(**found), content_type == nullptr ? "" : *content_type, body.bytes(), clock_);
  if (!parsed.has_value()) {
    return std::move(reply)(braid::to_response(parsed.error()));
  }
  Request whole = *std::move(parsed);
  whole.cancel = request.cancel;
  whole.reply = Reply([reply = std::move(reply)](Result<Decision> decision) mutable {
    std::move(reply)(decision.has_value() ? json_response(200, to_json(*decision))
                                          : braid::to_response(decision.error()));
  });
  engine_.submit(std::move(whole));
}

}  // namespace braid
