#pragma once
// InferReply: what a model or pipeline said, as the Open Inference Protocol's response: JSON, with
// the outputs that were asked for in binary behind it.

#include <string>
#include <vector>

#include "net/http_message.h"
#include "net/infer_request.h"

namespace braid {

struct InferReply {
  std::string model;
  std::string version = "1";
  std::string id = {};
  std::vector<RequestedOutput> wanted = {};  // in this order; empty: all, as they come
  bool binary_output = false;                // for outputs that say nothing themselves
};

/// kInvalidArgument when an output cannot be said in JSON, which names it and the cure.
Result<HttpResponse> encode_reply(const InferReply& reply, const NamedTensors& outputs);

/// kInvalidArgument names an output that is asked for but not among `known`.
Result<void> check_outputs(const std::vector<RequestedOutput>& wanted,
                           const std::vector<std::string>& known);

}  // namespace braid
