#include "net/load/fetch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/json.h"
#include "net/load/answer_reader.h"

namespace braid {
namespace {

constexpr std::size_t kBodyMax = std::size_t{16} << 20;

Error lost(const ServerAddress& address, const std::string& why) {
  return Error{Code::kUnavailable, fmt::format("{}: {}", address.authority(), why)};
}

/// Whether the socket becomes ready within the time.
Result<void> await(const LoadSocket& socket, short event, const ServerAddress& address,
                   Duration patience) {
  pollfd ready{.fd = socket.descriptor(), .events = event, .revents = 0};
  const auto patience_ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  if (::poll(&ready, 1, static_cast<int>(patience_ms)) == 0) {
    return Error{Code::kDeadlineExceeded,
                 fmt::format("{} does not answer within {} ms; is the model too slow for "
                             "--timeout-ms?",
                             address.authority(), patience_ms)};
  }
  return {};
}

Result<void> send_all(const LoadSocket& socket, std::string_view bytes,
                      const ServerAddress& address, Duration patience) {
  while (!bytes.empty()) {
    BRAID_TRY_DO(await(socket, POLLOUT, address, patience));
    const ssize_t sent = ::send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      return {};  // the server may have answered before it closed: 413 to a large body
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  return {};
}

}  // namespace

Result<Fetched> fetch(const ServerAddress& address, std::string_view request, Duration patience) {
  BRAID_TRY(const LoadSocket socket, connect_to(address, patience));
  BRAID_TRY_DO(send_all(socket, request, address, patience));
  AnswerReader reader(kBodyMax);
  char buffer[64 << 10];
  auto step = AnswerReader::Step::kNeedMore;
  while (step == AnswerReader::Step::kNeedMore) {
    BRAID_TRY_DO(await(socket, POLLIN, address, patience));
    const ssize_t count = ::recv(socket.descriptor(), buffer, sizeof buffer, 0);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      return lost(address, std::strerror(errno));
    }
    std::string_view bytes(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    step = count == 0 ? reader.end() : reader.take(bytes);
    if (reader.body_size_bytes() > kBodyMax) {
      return lost(address, fmt::format("an answer of more than {} bytes", kBodyMax));
    }
  }
  if (step == AnswerReader::Step::kFailed) {
    return lost(address, reader.failure());
  }
  return Fetched{reader.status(), std::string(reader.body())};
}

Result<Fetched> fetch(const ServerAddress& address, std::string_view path,
                      std::string_view json_body, Duration patience) {
  const bool has_body = !json_body.empty();
  return fetch(address,
               fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n"
                           "Content-Length: {}\r\n{}\r\n{}",
                           has_body ? "POST" : "GET", path, address.authority(), json_body.size(),
                           has_body ? "Content-Type: application/json\r\n" : "", json_body),
               patience);
}

std::string error_text(std::string_view body) {
  constexpr std::size_t kTextMax = 300;
  std::string text(body);
  if (const auto json = Json::parse(body); json.has_value()) {
    const Json* error = json->find("error");
    text = error != nullptr && error->text() != nullptr ? *error->text() : text;
  }
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (text.size() > kTextMax) {
    text.resize(kTextMax);
    text += "…";
  }
  return text;
}

}  // namespace braid
