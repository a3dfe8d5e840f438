#pragma once
// InferRequest: an inference request of the Open Inference Protocol, whatever wire it came by.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "tensor/tensor.h"

namespace braid {

struct RequestedOutput {
  std::string name;
  std::optional<bool> binary = {};  // unset: as the request says for all
  std::size_t class_count = 0;      // of the classification extension; 0: the tensor itself
};

struct InferRequest {
  std::string id;                        // echoed when it is not empty
  NamedTensors inputs;                   // at least one, no name twice
  std::vector<RequestedOutput> outputs;  // in the order asked; empty: all of the model
  bool binary_output = false;            // for outputs that say nothing themselves

  // Of the parameters: what a policy or the dispatcher wants to know.
  std::optional<Duration> timeout = {};
  std::optional<double> min_confidence = {};
  std::optional<double> cost_budget_core_ms = {};
  std::size_t priority = 0;  // 1 is the first; 0: none named
};

/// Takes over what `parameters`, a map of scalars, says to Braid. Others are for models and are
/// left alone, but `triton_…` and `headers`, which only a server may set, are refused. (One of the
/// former asks for a last answer that is empty, which a single answer need not have.)
Result<void> read_parameters(const Json& parameters, InferRequest& into);

/// The same for one requested output. kUnsupported names extensions that are not offered.
Result<void> read_output_parameters(const Json& parameters, RequestedOutput& into);

}  // namespace braid
