// Any bytes as the stream of a connection, in pieces as the first byte says: it must never crash,
// and which requests are read must not depend on the pieces. When a broken head is found to be
// broken may: Beast looks at one that came in pieces only when its end, an empty line, has come.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http_reader.h"

namespace {

/// Everything that the reader makes of the bytes.
std::string read_all(std::string_view bytes, std::size_t piece) {
  braid::HttpReader reader({.head_bytes_max = 2048, .body_bytes_max = 4096});
  std::string told;
  while (true) {
    switch (reader.next()) {
      case braid::HttpReader::Step::kNeedMore: {
        if (bytes.empty()) {
          return told;
        }
        const std::span<char> space = reader.space();
        BRAID_CHECK(!space.empty());
        const std::size_t count = std::min({space.size(), bytes.size(), piece});
        std::memcpy(space.data(), bytes.data(), count);
        bytes.remove_prefix(count);
        reader.commit(count);
        break;
      }
      case braid::HttpReader::Step::kContinue:
        break;
      case braid::HttpReader::Step::kRequest:
        told += std::string(reader.request().method) + ' ' + std::string(reader.request().target) +
                ' ' + std::string(reader.request().body.bytes()) + '\n';
        reader.reset();
        break;
      case braid::HttpReader::Step::kFailed:
        return told + "failed";
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read_all(bytes, bytes.size() + 1);
  const std::string pieces = read_all(bytes, data[0] % 64 + 1U);
  BRAID_CHECK(whole == pieces || whole == pieces + "failed");
  return 0;
}
