// Any bytes as an inference request: JSON with binary tensors behind it. Whatever is accepted must
// survive the way back through a reply.

#include <cstddef>
#include <cstdint>

#include "net/infer_json.h"
#include "net/infer_reply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using braid::Body;
  if (size < 2) {
    return 0;
  }
  const std::size_t json_size = static_cast<std::size_t>(data[0]) * 256 + data[1];
  const Body body = Body::copy_of({reinterpret_cast<const char*>(data) + 2, size - 2});
  const bool whole = json_size == 0;
  auto request = parse_infer(body, whole ? std::nullopt : std::optional<std::size_t>(json_size));
  if (request.has_value()) {
    braid::InferRequest given = *std::move(request);
    braid::InferReply reply{.model = "m", .id = given.id, .binary_output = !whole};
    reply.outputs = std::move(given.inputs);
    (void)encode_reply(reply);
  }
  return 0;
}
