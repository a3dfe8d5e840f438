#pragma once
// fetch: one small HTTP request on a connection of its own, and its answer: what a load asks before
// it begins (metadata, a first try) and of the metrics page. Blocks the calling thread.

#include <string>
#include <string_view>

#include "net/load/server_address.h"

namespace braid {

struct Fetched {
  int status = 0;
  std::string body;  // at most 16 MiB
};

/// Sends `request`, all bytes of one HTTP request. kUnavailable when the server is not there, hangs
/// up or speaks no HTTP, kDeadlineExceeded when it is silent for `patience`.
Result<Fetched> fetch(const ServerAddress& address, std::string_view request, Duration patience);
/// GET of a path, or POST where there is a body.
Result<Fetched> fetch(const ServerAddress& address, std::string_view path,
                      std::string_view json_body, Duration patience);

/// `{"error": "text"}` as its text, any other body as it is, cut to a line.
std::string error_text(std::string_view body);

}  // namespace braid
