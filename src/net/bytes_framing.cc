#include "net/bytes_framing.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "net/tensor_json.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little);  // the wire's order is memory's

constexpr std::size_t kPrefix = sizeof(std::uint32_t);

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Result<Tensor> read_strings(Bytes bytes, std::span<const std::size_t> shape) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (count > bytes.size() / kPrefix || count > kBytesElementsMax) {
    return wrong(
        fmt::format("shape {} is {} elements; {} bytes hold fewer, or the limit of {} is "
                    "reached",
                    to_string(shape), count, bytes.size(), kBytesElementsMax));
  }
  std::vector<std::string> strings;
  strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t size = 0;
    if (bytes.size() < kPrefix) {
      return wrong(
          fmt::format("element {} of {} has no length: the bytes end before it", i, count));
    }
    std::memcpy(&size, bytes.data(), kPrefix);
    bytes.remove_prefix(kPrefix);
    if (size > bytes.size()) {
      return wrong(fmt::format("element {} says that it has {} bytes, but {} are left", i, size,
                               bytes.size()));
    }
    strings.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) {
    return wrong(fmt::format("{} bytes are left over after {} elements", bytes.size(), count));
  }
  return Tensor::from_strings(shape, std::move(strings));
}

}  // namespace

Result<Tensor> tensor_from_bytes(Bytes bytes, DType dtype, std::span<const std::size_t> shape) {
  if (dtype == DType::kBytes) {
    return read_strings(bytes, shape);
  }
  if (dtype == DType::kBool &&
      !std::ranges::all_of(bytes, [](char byte) { return byte == 0 || byte == 1; })) {
    return wrong("a byte of BOOL is neither 0 nor 1");
  }
  return Tensor::from_bytes(dtype, shape, std::as_bytes(std::span(bytes)));
}

std::size_t framed_size(const TensorView& view) {
  std::size_t size = view.bytes.size();
  for (const std::string& text : view.strings) {
    size += kPrefix + text.size();
  }
  return size;
}

void append_bytes(const TensorView& view, std::string& out) {
  out.append(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
  for (const std::string& text : view.strings) {
    const auto size = static_cast<std::uint32_t>(text.size());
    char prefix[kPrefix];
    std::memcpy(prefix, &size, kPrefix);
    out.append(prefix, kPrefix);
    out += text;
  }
}

}  // namespace braid
