#pragma once
// pipeline_infer: a pipeline as a model to every client. Inputs are BYTES tensors [n] or [n, 1]
// under the names of its raw inputs; row i of each is case i. Outputs are one row a case.

#include <functional>
#include <vector>

#include "base/clock.h"
#include "net/infer_reply.h"
#include "net/infer_request.h"
#include "net/pipeline_facts.h"
#include "serve/request.h"
#include "tensor/spec.h"

namespace braid {

std::vector<TensorSpec> pipeline_inputs(const PipelineFacts& facts);
std::vector<TensorSpec> pipeline_outputs(const PipelineFacts& facts);

/// One request a case, in order, without reply. kInvalidArgument names the input.
Result<std::vector<Request>> split_cases(const PipelineFacts& facts, InferRequest& request,
                                         const Clock& clock);

/// As pipeline_outputs() says.
NamedTensors to_tensors(const PipelineFacts& facts, const std::vector<Decision>& decisions);

/// Calls `done` exactly once: when all cases are decided, or with the first error among them.
/// `submit` must outlive that.
void infer_pipeline(PipelineFacts facts, InferRequest request, CancelFlag cancel,
                    std::function<void(Request)> submit, const Clock& clock, InferDone done);

}  // namespace braid
