#pragma once
// model_infer: an inference request for one model: checked against its spec, run as one job,
// answered in the protocol's words.

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "net/infer_reply.h"
#include "net/infer_request.h"
#include "serve/dispatcher.h"

namespace braid {

/// The rows of the request; 1 when axis 0 of the model is no batch axis. kInvalidArgument, naming
/// the input and what is wanted, when an input is unknown, missing or does not fit, or when inputs
/// of a batch differ in rows.
Result<std::size_t> check_inputs(const ModelSpec& spec, const NamedTensors& inputs);

/// kInvalidArgument when a request has more rows than the config's max_batch_size, which is what
/// clients are told. Where none is stated (or it is 0), the dispatcher splits what one run cannot
/// take.
Result<void> check_row_count(std::optional<std::size_t> stated_max, std::size_t row_count);

/// Calls `done` exactly once, now or later.
void infer_model(ModelHandle model, InferRequest request, CancelFlag cancel, Dispatcher& dispatcher,
                 const Clock& clock, InferDone done);

}  // namespace braid
