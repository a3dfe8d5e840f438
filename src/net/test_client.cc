#include "net/test_client.h"

#include <algorithm>
#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/check.h"

namespace braid {

TestClient::TestClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  BRAID_CHECK(socket_ >= 0);
  const timeval limit{.tv_sec = 30, .tv_usec = 0};
  const int on = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connected =
      ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  BRAID_CHECK(connected == 0);
}

TestClient::~TestClient() { ::close(socket_); }

void TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return;  // the server has closed; receive() will tell
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool TestClient::fill() {
  char part[64 << 10];
  const ssize_t count = ::recv(socket_, part, sizeof part, 0);
  if (count > 0) {
    buffer_.append(part, static_cast<std::size_t>(count));
  }
  return count > 0;
}

TestClient::Answer TestClient::receive(bool has_body) {
  std::size_t head_end = 0;
  while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) {
      return {};
    }
  }
  Answer answer;
  const std::string head = buffer_.substr(0, head_end + 2);
  buffer_.erase(0, head_end + 4);
  answer.status = std::atoi(head.c_str() + sizeof "HTTP/1.1");
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t end = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers[name] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  if (answer.status == 100) {
    return answer;
  }
  const auto length = answer.headers.find("content-length");
  const std::size_t size =
      has_body && length != answer.headers.end() ? std::stoul(length->second) : 0;
  while (buffer_.size() < size) {
    if (!fill()) {
      return {};
    }
  }
  answer.body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return answer;
}

TestClient::Answer TestClient::ask(std::string_view method, std::string_view target,
                                   std::string_view body, std::string_view more_headers) {
  send(http_request(method, target, body, more_headers));
  return receive(method != "HEAD");
}

bool TestClient::closed() {
  char byte = 0;
  return buffer_.empty() && ::recv(socket_, &byte, 1, 0) == 0;
}

void TestClient::close_output() { ::shutdown(socket_, SHUT_WR); }

std::string http_request(std::string_view method, std::string_view target, std::string_view body,
                         std::string_view more_headers) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n{}\r\n{}", method,
                     target, body.size(), more_headers, body);
}

}  // namespace braid
