#pragma once
// InferReply: what a model or pipeline said, as the Open Inference Protocol's response: JSON, with
// the outputs that were asked for in binary behind it.

#include <map>
#include <string>
#include <vector>

#include "base/task.h"
#include "net/http_message.h"
#include "net/infer_request.h"

namespace braid {

/// Names of an output's last axis, by output; where there are none, classes have only an index.
using OutputLabels = std::map<std::string, std::vector<std::string>>;

struct InferReply {
  std::string model;
  std::string version = "1";
  std::string id = {};
  std::vector<RequestedOutput> wanted = {};  // in this order; empty: all, as they come
  bool binary_output = false;                // for outputs that say nothing themselves
  NamedTensors outputs = {};                 // those that are wanted, in that order
};

/// Called exactly once, from any thread.
using InferDone = MoveFunction<void(Result<InferReply>)>;

/// Puts what a model gave into the reply: the wanted outputs in their order, and classes in place
/// of numbers where these are asked for. kInvalidArgument when an output cannot be classified.
Result<void> take_outputs(NamedTensors given, const OutputLabels& labels, InferReply& reply);

/// kInvalidArgument when an output cannot be said in JSON, which names it and the cure.
Result<HttpResponse> encode_reply(const InferReply& reply);

/// kInvalidArgument names an output that is asked for but not among `known`.
Result<void> check_outputs(const std::vector<RequestedOutput>& wanted,
                           const std::vector<std::string>& known);

}  // namespace braid
