#include "net/protocol.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "net/control.h"
#include "net/model_infer.h"
#include "net/pipeline_infer.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

Result<void> check_elements(const InferRequest& request, std::size_t elements_max) {
  for (const NamedTensor& input : request.inputs) {
    BRAID_TRY(const std::size_t count, element_count(input.tensor.shape()));
    if (count > elements_max) {
      return Error{Code::kInvalidArgument,
                   fmt::format("input '{}' has {} elements; this server takes {} at most "
                               "(--max-tensor-elements)",
                               input.name.substr(0, 100), count, elements_max)};
    }
  }
  return {};
}

}  // namespace

Protocol::Protocol(Engine& engine, Dispatcher& dispatcher, const ModelStore& store,
                   Metrics& metrics, const Clock& clock, Options options)
    : engine_(engine),
      dispatcher_(dispatcher),
      clock_(clock),
      options_(std::move(options)),
      catalogue_(engine, dispatcher, store, clock, options_.version),
      meters_(metrics) {}

RequestMeter& Protocol::meter_of(const Catalogue::Target& target) {
  return target.pipeline != nullptr
             ? meters_.of(target.pipeline->config.name, target.pipeline->config.version)
             : meters_.of(target.model->name, std::to_string(target.model->version));
}

void Protocol::infer(Catalogue::Target target, InferRequest request, CancelFlag cancel,
                     InferDone answer) {
  RequestMeter& meter = meter_of(target);
  if (Result<void> fits = check_elements(request, options_.elements_max); !fits.has_value()) {
    meter.refuse(fits.error().code);
    return answer(std::move(fits).error());
  }
  meter.begin();
  InferDone done = [&meter, &clock = clock_, begin = clock_.now(),
                    answer = std::move(answer)](Result<InferReply> reply) mutable {
    meter.end(reply.has_value() ? std::nullopt : std::optional(reply.error().code),
              clock.now() - begin);
    answer(std::move(reply));
  };
  if (target.model != nullptr) {
    return infer_model(std::move(target.model), std::move(request), std::move(cancel), dispatcher_,
                       clock_, std::move(done));
  }
  infer_pipeline(
      facts_of(*target.pipeline), std::move(request), std::move(cancel),
      [&engine = engine_](Request each) { engine.submit(std::move(each)); }, clock_,
      std::move(done));
}

void Protocol::control(bool is_load, const std::string& name, const Json& body, bool from_loopback,
                       MoveFunction<void(Result<void>)> done) {
  Result<void> allowed =
      check_control(options_.control, options_.control_from_anywhere || from_loopback);
  if (allowed.has_value()) {
    allowed = check_control_parameters(body, is_load);
  }
  if (!allowed.has_value()) {
    return done(std::move(allowed));
  }
  // A refused task is dropped, so what answers is shared.
  const auto shared = std::make_shared<MoveFunction<void(Result<void>)>>(std::move(done));
  Result<void> added = control_pool_.add([this, is_load, name, shared] {
    (*shared)(is_load ? options_.control->load(name) : options_.control->unload(name));
  });
  if (!added.has_value()) {
    (*shared)(std::move(added));
  }
}

}  // namespace braid
