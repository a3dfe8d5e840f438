// Any bytes as a binary tensor: the first two say its type and how many axes it has, one byte an
// axis follows. What is accepted must be, written again, the same bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/bytes_framing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kTypes = static_cast<std::size_t>(braid::DType::kBytes) + 1;
  constexpr std::size_t kAxesMax = 4;
  if (size < 2 + kAxesMax) {
    return 0;
  }
  const auto dtype = static_cast<braid::DType>(data[0] % kTypes);
  braid::Shape shape(data[1] % (kAxesMax + 1));
  std::copy_n(data + 2, shape.size(), shape.begin());
  const braid::Bytes bytes(reinterpret_cast<const char*>(data) + 2 + shape.size(),
                           size - 2 - shape.size());
  const auto tensor = braid::tensor_from_bytes(bytes, dtype, shape);
  if (tensor.has_value()) {
    std::string written;
    append_bytes(tensor->view(), written);
    BRAID_CHECK(written == bytes);
    BRAID_CHECK(framed_size(tensor->view()) == bytes.size());
  }
  return 0;
}
