#pragma once
// AnswerReader: bytes of one connection to HTTP/1.1 answers, for the load client: lengths by
// Content-Length, chunked or end of stream. It counts the body and keeps no more of it than it was
// told to, so that a load costs the client little.
// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

class AnswerReader {
 public:
  enum class Step {
    kNeedMore,
    kAnswer,  // whole; what take() left over belongs to no request of ours
    kFailed,  // failure() says why; the connection is of no more use
  };

  /// Of a body at most `kept_max` bytes can be read again.
  explicit AnswerReader(std::size_t kept_max) : kept_max_(kept_max) {}

  /// Takes what it needs off the front of `bytes`.
  Step take(std::string_view& bytes);
  /// The server has closed its side: an answer without a length is whole, any other is not.
  Step end();

  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  std::string_view body() const { return body_; }
  std::size_t body_size_bytes() const { return body_size_; }
  const std::string& failure() const { return failure_; }

  /// Makes ready for the next answer.
  void reset();

 private:
  enum class State { kStatus, kHeader, kBody, kUntilEnd, kChunk, kChunkData, kChunkEnd, kTrailer };

  std::optional<std::string_view> next_line(std::string_view& bytes);
  Step read_line(std::string_view line);
  Step read_status(std::string_view line);
  Step read_header(std::string_view line);
  Step read_chunk_size(std::string_view line);
  Step after_head();
  Step fail(std::string why);
  void keep(std::string_view bytes);

  const std::size_t kept_max_;
  State state_ = State::kStatus;
  std::string part_;           // of a line that has not come whole
  std::string whole_;          // a line that came in parts, until the next one
  std::size_t head_size_ = 0;  // bytes of all lines of this answer
  std::optional<std::uint64_t> length_;
  std::uint64_t left_ = 0;  // of the body or chunk
  bool chunked_ = false;
  bool keep_alive_ = true;
  int status_ = 0;
  std::size_t body_size_ = 0;
  std::string body_;
  std::string failure_;
};

}  // namespace braid
