#include "net/load/scripted_server.h"

#include <map>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace braid {
namespace {

/// Bytes of the first request in the buffer, 0 while it is not whole.
std::size_t request_size(const std::string& buffer) {
  const std::size_t head_end = buffer.find("\r\n\r\n");
  const std::size_t length = buffer.find("Content-Length: ");
  if (head_end == std::string::npos) {
    return 0;
  }
  const std::size_t body = length < head_end ? std::stoul(buffer.substr(length + 16)) : 0;
  return buffer.size() < head_end + 4 + body ? 0 : head_end + 4 + body;
}

}  // namespace

ScriptedServer::ScriptedServer(Script script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(listener_, any, size) == 0 && ::listen(listener_, 1024) == 0 &&
                     ::getsockname(listener_, any, &size) == 0;
  BRAID_CHECK(bound);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  thread_.join();
  ::close(listener_);
}

bool ScriptedServer::serve(int connection, std::string& buffer) {
  char part[64 << 10];
  const ssize_t count = ::recv(connection, part, sizeof part, 0);
  if (count <= 0) {
    return false;
  }
  buffer.append(part, static_cast<std::size_t>(count));
  while (const std::size_t size = request_size(buffer)) {
    const Line line = script_(requests_seen_++, buffer.substr(0, size));
    buffer.erase(0, size);
    for (std::string_view rest = line.bytes; !rest.empty();) {
      const ssize_t sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    if (line.hang_up) {
      return false;
    }
  }
  return true;
}

void ScriptedServer::run() {
  std::map<int, std::string> buffers;
  while (!stopping_) {
    std::vector<pollfd> ready = {{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const auto& [connection, buffer] : buffers) {
      ready.push_back({.fd = connection, .events = POLLIN, .revents = 0});
    }
    ::poll(ready.data(), ready.size(), 5);
    for (const pollfd& each : ready) {
      if (each.revents == 0) {
        continue;
      }
      if (each.fd == listener_) {
        buffers[::accept(listener_, nullptr, nullptr)];
        ++connections_seen_;
      } else if (!serve(each.fd, buffers[each.fd])) {
        ::close(each.fd);
        buffers.erase(each.fd);
      }
    }
  }
  for (const auto& [connection, buffer] : buffers) {
    ::close(connection);
  }
}

std::string answer_bytes(int status, const std::string& body) {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

}  // namespace braid
