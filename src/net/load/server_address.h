#pragma once
// ServerAddress: where a load goes, looked up once; and a connection to it.
// Threads: a constant value.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace braid {

enum class LoadProtocol { kHttp, kGrpc };

struct ServerAddress {
  LoadProtocol protocol = LoadProtocol::kHttp;
  std::string host;
  std::uint16_t port = 0;
  std::string path;      // "/metrics" of http://host:8002/metrics, else empty
  std::string resolved;  // a sockaddr as the system gave it

  /// "host:port", as the Host header has it.
  std::string authority() const;
};

/// "http://127.0.0.1:8000", "grpc://host:8001", or "host:port" for HTTP. kInvalidArgument says what
/// a URL looks like, kUnsupported names TLS, kNotFound a host that no name server knows.
Result<ServerAddress> parse_address(std::string_view url);

/// Owns a socket; closes it.
class LoadSocket {
 public:
  LoadSocket() = default;
  explicit LoadSocket(int descriptor) : descriptor_(descriptor) {}
  LoadSocket(LoadSocket&& other) noexcept;
  LoadSocket& operator=(LoadSocket&& other) noexcept;
  ~LoadSocket() { close(); }

  int descriptor() const { return descriptor_; }  // -1: none
  void close();

 private:
  int descriptor_ = -1;
};

/// Begins to connect and does not wait: writable once it is connected or refused. kUnavailable when
/// the system gives no socket, with the cure when it is the limit of open files.
Result<LoadSocket> begin_connect(const ServerAddress& address);
/// The same, and waits; what comes of it never blocks. kUnavailable names the address and the cure.
Result<LoadSocket> connect_to(const ServerAddress& address, Duration patience);
/// Why a socket that begin_connect() gave is not connected; "" when it is.
std::string connect_failure(const LoadSocket& socket);

}  // namespace braid
