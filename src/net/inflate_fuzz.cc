// Any bytes as a compressed body: the first says how. It never becomes more than the limit.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "net/inflate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSizeMax = 100'000;
  if (size == 0) {
    return 0;
  }
  const braid::Body body =
      braid::Body::copy_of({reinterpret_cast<const char*>(data) + 1, size - 1});
  const braid::HttpHeader coding{"Content-Encoding", data[0] % 2 == 0 ? "gzip" : "deflate"};
  const braid::HttpRequest request{
      .method = "POST", .target = "/", .headers = {&coding, 1}, .body = body};
  braid::Body inflated;
  const auto decoded = braid::decoded_body(request, kSizeMax, inflated);
  BRAID_CHECK(!decoded.has_value() || (*decoded)->size() <= kSizeMax);
  BRAID_CHECK(inflated.capacity() <= 4 * kSizeMax);
  return 0;
}
