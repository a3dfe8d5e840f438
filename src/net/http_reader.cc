#include "net/http_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

namespace braid {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::beast::error_code;
using View = boost::beast::string_view;

constexpr std::size_t kFirstRead = 4096;  // most requests fit, so they are read in one go

/// A piece of the input buffer, which may move while it grows.
struct Piece {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// Keeps what Beast finds as pieces of the buffer instead of copies.
class Parser final : public http::basic_parser<true> {
 public:
  const char* base = nullptr;  // of the buffer, during a put
  std::size_t filled = 0;
  Piece method;
  Piece target;
  int version = 11;
  std::vector<std::pair<Piece, Piece>> fields;
  Body* body = nullptr;
  std::size_t body_max = 0;
  ByteClaim* claim = nullptr;  // of the body

 private:
  Piece piece(View view) const {
    return {static_cast<std::size_t>(view.data() - base), view.size()};
  }
  bool in_buffer(View view) const {
    return view.empty() || (view.data() >= base && view.data() + view.size() <= base + filled);
  }

  void on_request_impl(http::verb, View name, View path, int number, ErrorCode&) override {
    version = number;
    method = piece(name);
    target = piece(path);
  }
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(http::field, View name, View value, ErrorCode& failure) override {
    if (is_header_done()) {
      return;  // a trailer: nothing here wants one
    }
    if (!in_buffer(value)) {
      failure = http::error::bad_obs_fold;  // RFC 9112, 5.2: a server refuses folded lines
      return;
    }
    fields.emplace_back(piece(name), value.empty() ? Piece{} : piece(value));
  }
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(View, ErrorCode&) override { return 0; }  // bodies are read around it
  void on_chunk_header_impl(std::uint64_t size, View, ErrorCode& failure) override {
    if (size > body_max - body->size()) {
      failure = http::error::body_limit;
    } else if (!claim->grow(static_cast<std::size_t>(size))) {
      failure = http::error::buffer_overflow;  // the server's, not this parser's
    }
  }
  std::size_t on_chunk_body_impl(std::uint64_t, View part, ErrorCode&) override {
    body->append({part.data(), part.size()});
    return part.size();
  }
  void on_finish_impl(ErrorCode&) override {}
};

}  // namespace

struct HttpReader::State {
  enum class Phase { kHead, kBody, kChunks, kWhole, kFailed };

  const Limits limits;
  Phase phase = Phase::kHead;
  Body in;                   // the head of this request, then whatever came behind it
  std::size_t parsed = 0;    // of `in`
  std::size_t head_end = 0;  // chunked bodies are parsed in place behind it
  std::optional<Parser> parser;
  std::vector<HttpHeader> headers;
  Body body;
  ByteClaim claim{limits.credits};
  std::size_t body_length = 0;
  bool asked_to_continue = false;
  Failure failure;

  explicit State(Limits given) : limits(given) { begin_parser(); }

  void begin_parser() {
    parser.emplace();
    // Ours is asked instead, since it has the better message. (No limit at all, boost::none,
    // refuses every body in Boost 1.74: it compares as less than any length.)
    parser->body_limit(std::numeric_limits<std::uint64_t>::max());
    parser->header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
    parser->body = &body;
    parser->body_max = limits.body_bytes_max;
    parser->claim = &claim;
  }

  std::string_view text(Piece piece) const { return in.bytes().substr(piece.begin, piece.size); }

  Step fail(int status, std::string message) {
    phase = Phase::kFailed;
    failure = {status, std::move(message)};
    body.release();
    claim.release();
    return Step::kFailed;
  }

  Step fail(const ErrorCode& code) {
    if (code == http::error::body_limit) {
      return fail_too_large();
    }
    if (code == http::error::buffer_overflow) {
      return fail(503, claim.refusal().describe());
    }
    if (code == http::error::header_limit) {
      return fail_head();
    }
    if (code == http::error::bad_version) {
      return fail(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    return fail(400, fmt::format("the request is not valid HTTP/1.1: {}", code.message()));
  }

  Step fail_too_large() {
    return fail(
        413, fmt::format("the body is larger than the limit of {} bytes", limits.body_bytes_max));
  }

  Step fail_head() {
    return fail(431, fmt::format("the request line and headers are larger than the limit of {} "
                                 "bytes",
                                 limits.head_bytes_max));
  }

  Step fail_chunk() {
    return fail(400, fmt::format("a chunk's header or trailer is larger than the limit of {} bytes",
                                 limits.head_bytes_max));
  }

  ErrorCode put() {
    ErrorCode code;
    parser->base = in.bytes().data();
    parser->filled = in.size();
    parsed += parser->put(asio::buffer(in.bytes().data() + parsed, in.size() - parsed), code);
    return code;
  }

  Step parse_head() {
    // A client that ends its last body with a spare CRLF is forgiven (RFC 9112, 2.2).
    while (!parser->got_some() && parsed < in.size() &&
           (in.bytes()[parsed] == '\r' || in.bytes()[parsed] == '\n')) {
      ++parsed;
    }
    if (parsed == in.size()) {
      return in.size() < limits.head_bytes_max ? Step::kNeedMore : fail_head();
    }
    const ErrorCode code = put();
    if (code == http::error::need_more) {
      return in.size() < limits.head_bytes_max ? Step::kNeedMore : fail_head();
    }
    if (code.failed()) {
      return fail(code);
    }
    return finish_head();
  }

  std::size_t count(std::string_view name, std::string_view* value) const {
    std::size_t count = 0;
    for (const auto& [field, content] : parser->fields) {
      if (same_word(text(field), name)) {
        ++count;
        *value = text(content);
      }
    }
    return count;
  }

  Step finish_head() {
    if (parsed > limits.head_bytes_max) {
      return fail_head();  // the same however the bytes came
    }
    std::string_view value;
    const std::size_t hosts = count("host", &value);
    if (hosts > 1 || (hosts == 0 && parser->version == 11)) {
      return fail(400, fmt::format("HTTP/1.1 wants one Host header, {} came", hosts));
    }
    if (const std::size_t codings = count("transfer-encoding", &value); codings > 0) {
      if (codings > 1 || !same_word(value, "chunked") || parser->version == 10) {
        return fail(501, "the only transfer coding taken is 'chunked', once, in HTTP/1.1");
      }
    }
    const bool expects = count("expect", &value) > 0;
    if (expects && !same_word(value, "100-continue")) {
      return fail(417, "the only expectation known is '100-continue'");
    }
    head_end = parsed;
    if (parser->is_done()) {
      phase = Phase::kWhole;
      return Step::kRequest;
    }
    const auto length = parser->content_length();
    if (length.has_value() && *length > limits.body_bytes_max) {
      return fail_too_large();
    }
    if (length.has_value()) {
      body_length = static_cast<std::size_t>(*length);
      if (!claim.grow(body_length)) {
        return fail(503, claim.refusal().describe());
      }
      body.reserve(body_length);
    }
    phase = length.has_value() ? Phase::kBody : Phase::kChunks;
    asked_to_continue = expects && parser->version == 11 && parsed == in.size();
    return asked_to_continue ? Step::kContinue : take_body();
  }

  Step take_body() {
    if (phase == Phase::kChunks) {
      return take_chunks();
    }
    const std::size_t here = std::min(in.size() - parsed, body_length - body.size());
    body.append(in.bytes().substr(parsed, here));
    parsed += here;
    if (body.size() < body_length) {
      return Step::kNeedMore;
    }
    phase = Phase::kWhole;
    return Step::kRequest;
  }

  Step take_chunks() {
    while (parsed < in.size() && !parser->is_done()) {
      const std::size_t parsed_before = parsed;
      const std::size_t size_before = body.size();
      const ErrorCode code = put();  // one chunk header, one piece of a body, or the trailers
      if (code == http::error::need_more) {
        break;
      }
      if (code.failed()) {
        return fail(code);
      }
      if (body.size() == size_before && parsed - parsed_before > limits.head_bytes_max) {
        return fail_chunk();
      }
    }
    if (parser->is_done()) {
      phase = Phase::kWhole;
      return Step::kRequest;
    }
    in.erase(head_end, parsed);
    parsed = head_end;
    if (in.size() - parsed >= limits.head_bytes_max) {
      return fail_chunk();
    }
    return Step::kNeedMore;
  }
};

HttpReader::HttpReader(Limits limits) : state_(std::make_unique<State>(limits)) {}
HttpReader::~HttpReader() = default;

std::span<char> HttpReader::space() {
  State& state = *state_;
  if (state.phase == State::Phase::kBody && state.parsed == state.in.size()) {
    return {state.body.end(), state.body_length - state.body.size()};
  }
  // Behind a whole head of the largest size there is still room to see that the client hung up.
  const std::size_t in_max = 2 * state.limits.head_bytes_max + kFirstRead;
  if (state.in.capacity() - state.in.size() < kFirstRead / 4 && state.in.capacity() < in_max) {
    state.in.reserve(std::min(std::max(kFirstRead, 2 * state.in.capacity()), in_max));
  }
  return {state.in.end(), state.in.capacity() - state.in.size()};
}

void HttpReader::commit(std::size_t count) {
  State& state = *state_;
  const bool direct = state.phase == State::Phase::kBody && state.parsed == state.in.size();
  (direct ? state.body : state.in).grow(count);
}

HttpReader::Step HttpReader::next() {
  switch (state_->phase) {
    case State::Phase::kHead:
      return state_->parse_head();
    case State::Phase::kBody:
    case State::Phase::kChunks:
      return state_->take_body();
    case State::Phase::kWhole:
      return Step::kRequest;
    case State::Phase::kFailed:
      break;
  }
  return Step::kFailed;
}

HttpRequest HttpReader::request() const {
  State& state = *state_;
  BRAID_CHECK(state.phase == State::Phase::kWhole);
  state.headers.clear();
  for (const auto& [name, value] : state.parser->fields) {
    state.headers.push_back({state.text(name), state.text(value)});
  }
  return {.method = state.text(state.parser->method),
          .target = state.text(state.parser->target),
          .headers = state.headers,
          .body = state.body};
}

bool HttpReader::keep_alive() const {
  return state_->phase == State::Phase::kWhole && state_->parser->keep_alive();
}

bool HttpReader::is_http_1_0() const {
  return state_->phase == State::Phase::kWhole && state_->parser->version == 10;
}

const HttpReader::Failure& HttpReader::failure() const { return state_->failure; }

void HttpReader::reset() {
  State& state = *state_;
  BRAID_CHECK(state.phase == State::Phase::kWhole);
  state.in.erase(0, state.parsed);
  state.parsed = state.head_end = state.body_length = 0;
  state.body.clear();
  state.claim.release();
  state.begin_parser();
  state.phase = State::Phase::kHead;
}

void HttpReader::release() {
  if (idle()) {
    state_->in.release();
    state_->body.release();
    state_->headers = {};
  }
}

bool HttpReader::idle() const {
  return state_->phase == State::Phase::kHead && state_->in.size() == 0;
}

bool HttpReader::in_body() const {
  return state_->phase == State::Phase::kBody || state_->phase == State::Phase::kChunks;
}

std::size_t HttpReader::body_bytes() const { return state_->body.size(); }

}  // namespace braid
