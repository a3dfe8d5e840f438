#include "net/inflate.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

namespace braid {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kZlib = MAX_WBITS;  // what HTTP calls deflate
constexpr std::size_t kStep = 64 << 10;

struct End {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

Error wrong(const char* message) {
  return Error{Code::kInvalidArgument, fmt::format("the compressed body is {}", message)};
}

Result<void> inflate_all(Bytes bytes, int window, std::size_t size_max, Body& into) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) {
    return Error{Code::kExhausted, "no memory to inflate a body"};
  }
  const std::unique_ptr<z_stream, End> ends(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads only
  stream.avail_in = static_cast<uInt>(bytes.size());
  while (true) {
    // One byte beyond the limit shows that there is more.
    const std::size_t room = std::min(kStep + into.size(), size_max + 1 - into.size());
    if (into.capacity() - into.size() < std::min(kStep, room)) {
      into.reserve(into.size() + room);
    }
    const auto out = static_cast<uInt>(std::min(room, into.capacity() - into.size()));
    stream.next_out = reinterpret_cast<Bytef*>(into.end());
    stream.avail_out = out;
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    into.grow(out - stream.avail_out);
    if (into.size() > size_max) {
      return Error{Code::kExhausted,
                   fmt::format("the body inflates to more than the limit of {} bytes", size_max)};
    }
    if (state == Z_STREAM_END) {
      return stream.avail_in == 0 ? Result<void>() : wrong("followed by other bytes");
    }
    if (state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      return wrong("cut short");
    }
    if (state != Z_OK) {
      return wrong("corrupt");
    }
  }
}

}  // namespace

Result<const Body*> decoded_body(const HttpRequest& request, std::size_t size_max, Body& into) {
  const std::string_view* coding = request.header("content-encoding");
  if (coding == nullptr || coding->empty() || same_word(*coding, "identity")) {
    return &request.body;
  }
  const bool gzip = same_word(*coding, "gzip") || same_word(*coding, "x-gzip");
  if ((!gzip && !same_word(*coding, "deflate")) || request.header_count("content-encoding") > 1) {
    return Error{Code::kUnsupported,
                 fmt::format("content encoding '{}' is not known here; use gzip, deflate or none",
                             coding->substr(0, 100))};
  }
  BRAID_TRY_DO(inflate_all(request.body.bytes(), gzip ? kGzip : kZlib, size_max, into));
  return &into;
}

}  // namespace braid
