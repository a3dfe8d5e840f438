// Any bytes as a ModelInferRequest, typed or raw, in two slices as the first byte says. What is
// taken for one must be what protobuf takes for one; whatever is accepted must survive the way back
// through a reply, whose raw contents are as long as its tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <grpcpp/support/byte_buffer.h>

#include "base/check.h"
#include "net/bytes_framing.h"
#include "net/grpc/grpc_infer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::size_t cut = std::min<std::size_t>(data[0], size - 1);
  const grpc::Slice slices[] = {grpc::Slice(data + 1, cut),
                                grpc::Slice(data + 1 + cut, size - 1 - cut)};
  const auto wire = braid::GrpcWire::read(grpc::ByteBuffer(slices, 2));
  inference::ModelInferRequest message;
  const bool parses = message.ParseFromArray(data + 1, static_cast<int>(size - 1));
  BRAID_CHECK(wire.has_value() == parses);
  if (!wire.has_value()) {
    return 0;
  }
  BRAID_CHECK(wire->raw().size() == static_cast<std::size_t>(message.raw_input_contents_size()));
  (void)braid::version_from(wire->message().model_version());
  auto request = braid::read_infer(*wire);
  if (!request.has_value()) {
    BRAID_CHECK(request.error().code != braid::Code::kInternal);
    return 0;
  }
  braid::InferRequest given = *std::move(request);
  braid::InferReply reply{.model = "m", .id = given.id};
  reply.outputs = std::move(given.inputs);
  inference::ModelInferResponse answer;
  write_infer(reply, answer);
  for (int i = 0; i < answer.outputs_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    BRAID_CHECK(answer.raw_output_contents(i).size() ==
                framed_size(reply.outputs[index].tensor.view()));
  }
  return 0;
}
