#include "net/load/server_address.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace braid {
namespace {

Error malformed(std::string_view url) {
  return Error{
      Code::kInvalidArgument,
      fmt::format("'{}' is no address; it looks like http://127.0.0.1:8000", url.substr(0, 200))};
}

Result<std::string> resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    return Error{Code::kNotFound, fmt::format("no host '{}': {}", host, ::gai_strerror(failure))};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  return std::string(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen);
}

Error unavailable(const ServerAddress& address, int reason) {
  const char* const cure = reason == EMFILE || reason == ENFILE
                               ? "raise the limit of open files: ulimit -n 65536"
                               : "is the server running there, and is this its port?";
  return Error{Code::kUnavailable, fmt::format("cannot connect to {}: {}; {}", address.authority(),
                                               std::strerror(reason), cure)};
}

}  // namespace

std::string ServerAddress::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<ServerAddress> parse_address(std::string_view url) {
  ServerAddress address;
  std::string_view rest = url;
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    const std::string_view name = url.substr(0, scheme);
    if (name == "https" || name == "grpcs") {
      return Error{Code::kUnsupported,
                   fmt::format("{}: TLS is not spoken; measure behind the proxy", url)};
    }
    if (name != "http" && name != "grpc") {
      return malformed(url);
    }
    address.protocol = name == "grpc" ? LoadProtocol::kGrpc : LoadProtocol::kHttp;
    rest.remove_prefix(scheme + 3);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.path = rest.substr(slash) == "/" ? "" : std::string(rest.substr(slash));
  rest = rest.substr(0, slash);
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return malformed(url);
  }
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (failure != std::errc() || end != port.data() + port.size() || address.port == 0) {
    return malformed(url);
  }
  address.host = host;
  BRAID_TRY(address.resolved, resolve(address.host, address.port));
  return address;
}

LoadSocket::LoadSocket(LoadSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

LoadSocket& LoadSocket::operator=(LoadSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void LoadSocket::close() {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
}

Result<LoadSocket> begin_connect(const ServerAddress& address) {
  const auto* const to = reinterpret_cast<const sockaddr*>(address.resolved.data());
  LoadSocket socket(::socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.descriptor() < 0) {
    return unavailable(address, errno);
  }
  const int on = 1;
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto size = static_cast<socklen_t>(address.resolved.size());
  if (::connect(socket.descriptor(), to, size) != 0 && errno != EINPROGRESS) {
    return unavailable(address, errno);
  }
  return socket;
}

std::string connect_failure(const LoadSocket& socket) {
  int reason = 0;
  socklen_t size = sizeof reason;
  ::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &reason, &size);
  return reason == 0 ? "" : std::strerror(reason);
}

Result<LoadSocket> connect_to(const ServerAddress& address, Duration patience) {
  BRAID_TRY(LoadSocket socket, begin_connect(address));
  pollfd ready{.fd = socket.descriptor(), .events = POLLOUT, .revents = 0};
  const auto patience_ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  if (::poll(&ready, 1, static_cast<int>(patience_ms)) == 0) {
    return unavailable(address, ETIMEDOUT);
  }
  int reason = 0;
  socklen_t size = sizeof reason;
  ::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &reason, &size);
  if (reason != 0) {
    return unavailable(address, reason);
  }
  return socket;
}

}  // namespace braid
