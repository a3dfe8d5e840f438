#include "net/deflate.h"

#include <charconv>

#include <zlib.h>

namespace braid {
namespace {

constexpr std::size_t kSmall = 256;  // below it the head of gzip costs what it saves
constexpr int kLevel = 1;            // replies are made once: speed counts
constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kZlib = MAX_WBITS;  // what HTTP calls deflate

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// 1 without a q; negative when it cannot be read.
double weight_of(std::string_view parameters) {
  parameters = trimmed(parameters);
  if (parameters.empty()) {
    return 1;
  }
  double weight = -1;
  if (parameters.starts_with("q=") || parameters.starts_with("Q=")) {
    const std::string_view number = parameters.substr(2);
    const auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), weight);
    if (failure != std::errc() || end != number.data() + number.size()) {
      return -1;
    }
  }
  return weight;
}

}  // namespace

Coding accepted_coding(std::string_view accept_encoding) {
  double gzip = 0;
  double deflate = 0;
  while (!accept_encoding.empty()) {
    const std::size_t comma = accept_encoding.find(',');
    const std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding =
        comma == accept_encoding.npos ? std::string_view() : accept_encoding.substr(comma + 1);
    const std::size_t semicolon = item.find(';');
    const std::string_view name = trimmed(item.substr(0, semicolon));
    const double weight = semicolon == item.npos ? 1 : weight_of(item.substr(semicolon + 1));
    if (same_word(name, "gzip") || same_word(name, "x-gzip")) {
      gzip = weight;
    } else if (same_word(name, "deflate")) {
      deflate = weight;
    }
  }
  if (gzip <= 0 && deflate <= 0) {
    return Coding::kNone;
  }
  return gzip >= deflate ? Coding::kGzip : Coding::kDeflate;
}

void encode_body(Coding coding, HttpResponse& response) {
  z_stream stream{};
  if (coding == Coding::kNone || response.body.size() < kSmall ||
      deflateInit2(&stream, kLevel, Z_DEFLATED, coding == Coding::kGzip ? kGzip : kZlib, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return;
  }
  std::string body(deflateBound(&stream, response.body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(response.body.data());
  stream.avail_in = static_cast<uInt>(response.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(body.data());
  stream.avail_out = static_cast<uInt>(body.size());
  const bool whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  body.resize(stream.total_out);
  deflateEnd(&stream);
  if (whole) {
    response.body = std::move(body);
    response.headers.emplace_back("Content-Encoding", coding == Coding::kGzip ? "gzip" : "deflate");
    response.headers.emplace_back("Vary", "Accept-Encoding");
  }
}

}  // namespace braid
