// Any bytes as a form: the first line is the Content-Type.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/multipart.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  if (line == std::string_view::npos) {
    return 0;
  }
  const std::string_view body = bytes.substr(line + 1);
  const auto parts = braid::parse_multipart(bytes.substr(0, line), body);
  if (parts.has_value()) {
    for (const braid::FormPart& part : *parts) {
      BRAID_CHECK(part.content.data() >= body.data());
      BRAID_CHECK(part.content.data() + part.content.size() <= body.data() + body.size());
    }
  }
  return 0;
}
