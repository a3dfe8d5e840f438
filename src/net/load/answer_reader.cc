#include "net/load/answer_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "net/http_message.h"

namespace braid {
namespace {

constexpr std::size_t kLinesMax = std::size_t{1} << 20;  // bytes of head, chunk sizes and trailers

template <typename Number>
bool parse_whole(std::string_view text, Number& into, int base) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), into, base);
  return failure == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

}  // namespace

void AnswerReader::reset() {
  state_ = State::kStatus;
  part_.clear();
  head_size_ = 0;
  length_.reset();
  left_ = 0;
  chunked_ = false;
  keep_alive_ = true;
  status_ = 0;
  body_size_ = 0;
  body_.clear();
}

AnswerReader::Step AnswerReader::fail(std::string why) {
  failure_ = std::move(why);
  return Step::kFailed;
}

void AnswerReader::keep(std::string_view bytes) {
  body_size_ += bytes.size();
  if (body_.size() < kept_max_) {
    body_ += bytes.substr(0, kept_max_ - body_.size());
  }
}

std::optional<std::string_view> AnswerReader::next_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  head_size_ += line.size() + (end == std::string_view::npos ? 0 : 1);
  if (end == std::string_view::npos) {
    part_ += line;
    return std::nullopt;
  }
  if (!part_.empty()) {
    part_ += line;
    whole_ = std::exchange(part_, {});
    line = whole_;
  }
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

AnswerReader::Step AnswerReader::take(std::string_view& bytes) {
  while (true) {
    if (state_ == State::kBody || state_ == State::kChunkData) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      keep(bytes.substr(0, count));
      bytes.remove_prefix(count);
      left_ -= count;
      if (left_ > 0) {
        return Step::kNeedMore;
      }
      if (state_ == State::kBody) {
        return Step::kAnswer;
      }
      state_ = State::kChunkEnd;
    } else if (state_ == State::kUntilEnd) {
      keep(bytes);
      bytes = {};
      return Step::kNeedMore;
    }
    if (bytes.empty()) {
      return Step::kNeedMore;
    }
    const std::optional<std::string_view> line = next_line(bytes);
    if (head_size_ > kLinesMax) {
      return fail(fmt::format("the answer has more than {} bytes of headers", kLinesMax));
    }
    if (line.has_value()) {
      if (const Step step = read_line(*line); step != Step::kNeedMore) {
        return step;
      }
    }
  }
}

AnswerReader::Step AnswerReader::end() {
  if (state_ == State::kUntilEnd) {
    keep_alive_ = false;
    return Step::kAnswer;
  }
  const bool nothing_came = state_ == State::kStatus && part_.empty();
  return fail(nothing_came ? "the server closed the connection without an answer"
                           : "the server closed the connection within an answer");
}

AnswerReader::Step AnswerReader::read_line(std::string_view line) {
  switch (state_) {
    case State::kStatus:
      return read_status(line);
    case State::kHeader:
      return line.empty() ? after_head() : read_header(line);
    case State::kChunk:
      return read_chunk_size(line);
    case State::kChunkEnd:
      state_ = State::kChunk;
      return line.empty() ? Step::kNeedMore : fail("a chunk is longer than it says");
    case State::kTrailer:
      return line.empty() ? Step::kAnswer : Step::kNeedMore;
    case State::kBody:
    case State::kUntilEnd:
    case State::kChunkData:
      break;
  }
  return fail("a line within a body");
}

/// "HTTP/1.1 200 OK".
AnswerReader::Step AnswerReader::read_status(std::string_view line) {
  const bool is_http = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ' &&
                       parse_whole(line.substr(9, 3), status_, 10);
  if (!is_http || status_ < 100) {
    return fail(
        fmt::format("this is no HTTP answer: '{}'; is it an HTTP port?", line.substr(0, 60)));
  }
  keep_alive_ = line[7] != '0';
  state_ = State::kHeader;
  return Step::kNeedMore;
}

AnswerReader::Step AnswerReader::read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return fail(fmt::format("a header without a colon: '{}'", line.substr(0, 60)));
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (same_word(name, "content-length")) {
    std::uint64_t length = 0;
    if (!parse_whole(value, length, 10) || length_.value_or(length) != length) {
      return fail(fmt::format("a Content-Length of '{}'", value.substr(0, 60)));
    }
    length_ = length;
  } else if (same_word(name, "transfer-encoding")) {
    chunked_ = same_word(value, "chunked");
    if (!chunked_) {
      return fail(fmt::format("a Transfer-Encoding of '{}'", value.substr(0, 60)));
    }
  } else if (same_word(name, "connection")) {
    keep_alive_ = same_word(value, "keep-alive") || (keep_alive_ && !same_word(value, "close"));
  }
  return Step::kNeedMore;
}

AnswerReader::Step AnswerReader::after_head() {
  if (status_ < 200) {  // "100 Continue": the answer itself is still to come
    const std::size_t head_size = head_size_;
    reset();
    head_size_ = head_size;
    return Step::kNeedMore;
  }
  if (status_ == 204 || status_ == 304) {
    return Step::kAnswer;
  }
  if (chunked_) {
    state_ = State::kChunk;
    return Step::kNeedMore;
  }
  if (!length_.has_value()) {
    state_ = State::kUntilEnd;
    return Step::kNeedMore;
  }
  state_ = State::kBody;
  left_ = *length_;
  return left_ == 0 ? Step::kAnswer : Step::kNeedMore;
}

/// "1a;extension".
AnswerReader::Step AnswerReader::read_chunk_size(std::string_view line) {
  const std::string_view size = trimmed(line.substr(0, line.find(';')));
  if (!parse_whole(size, left_, 16)) {
    return fail(fmt::format("a chunk size of '{}'", line.substr(0, 60)));
  }
  head_size_ = 0;  // each chunk may have its line
  state_ = left_ == 0 ? State::kTrailer : State::kChunkData;
  return Step::kNeedMore;
}

}  // namespace braid
