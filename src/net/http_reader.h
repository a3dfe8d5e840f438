#pragma once
// HttpReader: bytes of one connection to HTTP/1.1 requests. No socket, no clock: it says where the
// next bytes go and what they made. Strict where two readers of one stream could disagree about
// where a request ends: that is how one client's request is smuggled into another's.
// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "net/byte_credits.h"
#include "net/http_message.h"

namespace braid {

class HttpReader {
 public:
  struct Limits {
    std::size_t head_bytes_max = std::size_t{64} << 10;  // request line and headers, or one chunk's
    std::size_t body_bytes_max = std::size_t{64} << 20;
    /// Bodies claim their bytes here before they are read, and give them back at reset(). Null: no
    /// limit over all connections.
    ByteCredits* credits = nullptr;
  };

  enum class Step {
    kNeedMore,  // fill space(), commit(), ask again
    kContinue,  // the client waits for "100 Continue" before it sends the body; then ask again
    kRequest,   // request() is whole
    kFailed,    // failure() says why; what follows in the stream cannot be told any more
  };

  struct Failure {
    int status = 400;
    std::string message;
  };

  explicit HttpReader(Limits limits);
  ~HttpReader();
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;

  /// Room for the next bytes, at least one unless bytes of later requests fill the buffer. A large
  /// body is read into its own memory directly.
  std::span<char> space();
  void commit(std::size_t count);
  Step next();

  /// After kRequest and until reset().
  HttpRequest request() const;
  bool keep_alive() const;
  bool is_http_1_0() const;
  const Failure& failure() const;

  /// Makes ready for the next request; what has been read of it is kept.
  void reset();
  /// Gives unused memory back; between requests only.
  void release();

  /// Nothing of the next request has come yet.
  bool idle() const;
  bool in_body() const;
  std::size_t body_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
