#pragma once
// model_infer: an inference request for one model: checked against its spec, run as one job,
// answered in the protocol's words.

#include "base/clock.h"
#include "net/infer_reply.h"
#include "net/infer_request.h"
#include "serve/dispatcher.h"

namespace braid {

/// The rows of the request; 1 when axis 0 of the model is no batch axis. kInvalidArgument, naming
/// the input and what is wanted, when an input is unknown, missing or does not fit, or when inputs
/// of a batch differ in rows. More rows than one run takes are the dispatcher's business.
Result<std::size_t> check_inputs(const ModelSpec& spec, const NamedTensors& inputs);

/// Calls `done` exactly once, now or later.
void infer_model(ModelHandle model, InferRequest request, CancelFlag cancel, Dispatcher& dispatcher,
                 const Clock& clock, InferDone done);

}  // namespace braid
