// Any bytes as a ModelInferRequest, typed or raw. Whatever is accepted must survive the way back
// through a reply, whose raw contents are as long as its tensors.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/check.h"
#include "net/bytes_framing.h"
#include "net/grpc/grpc_infer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  inference::ModelInferRequest message;
  if (size > std::numeric_limits<int>::max() ||
      !message.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  (void)braid::version_from(message.model_version());
  auto request = braid::read_infer(message);
  if (!request.has_value()) {
    BRAID_CHECK(request.error().code != braid::Code::kInternal);
    return 0;
  }
  braid::InferReply reply{.model = "m", .id = request->id};
  reply.outputs = std::move(request->inputs);
  inference::ModelInferResponse answer;
  write_infer(reply, answer);
  for (int i = 0; i < answer.outputs_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    BRAID_CHECK(answer.raw_output_contents(i).size() ==
                framed_size(reply.outputs[index].tensor.view()));
  }
  return 0;
}
