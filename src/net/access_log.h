#pragma once
// AccessLog: one line a request: who, what, how it ended, how long it took. Names, sizes and codes;
// never what a client sent as data. Ids come from clients, so they are bounded and quoted.
// Threads: every function from any.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace braid {

struct AccessEntry {
  std::string_view wire;  // "http" or "grpc"
  std::string_view call;  // endpoint or method; its text is constant
  std::string id;         // of the request
  std::string name = {};  // model or pipeline; empty: of none
  std::string peer = {};  // address and port of the client
  int status = 0;         // HTTP's, or gRPC's code
  TimePoint begin{};
  std::size_t bytes_in = 0;  // of bodies
  std::size_t bytes_out = 0;
};

class AccessLog {
 public:
  enum class Format { kText, kJson };
  using Write = std::function<void(std::string_view line)>;

  /// `write` is called from any thread. `always`: else only while the log's verbose level asks.
  AccessLog(Format format, bool always, Write write, const Clock& clock)
      : format_(format), always_(always), write_(std::move(write)), clock_(clock) {}

  bool always() const { return always_; }
  /// An entry without an id gets one.
  void write(AccessEntry& entry) const;

 private:
  const Format format_;
  const bool always_;
  const Write write_;
  const Clock& clock_;
};

/// One line without its end. `unix_ms`: when the request ended.
std::string access_text(const AccessEntry& entry, std::uint64_t unix_ms, double took_ms);
std::string access_json(const AccessEntry& entry, std::uint64_t unix_ms, double took_ms);

/// A client's X-Request-Id when it is 1 to 128 visible ASCII characters; else nothing.
std::optional<std::string_view> usable_request_id(std::string_view value);

}  // namespace braid
