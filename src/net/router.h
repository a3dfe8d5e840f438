#pragma once
// Router: method and target to endpoint. One table; pure, so that it is tested as one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace braid {

enum class Endpoint {
  kServer,
  kLive,
  kReady,
  kModel,
  kModelReady,
  kInfer,
  kPipeline,
  kDecide,
  kConfig,
  kStatistics,
  kIndex,
  kLoad,
  kUnload,
  kLogging,
  kSetLogging,
  kTrace,
  kSetTrace,
  kNone,  // nothing of ours; only for metrics
};

struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string name;  // of the model or pipeline, percent-decoded
  std::optional<std::int64_t> version;
};

struct NoRoute {
  int status = 404;  // 400 malformed, 404 unknown path, 405 wrong method
  std::string message;
  std::string allow;  // of 405: the methods that there are
};

std::variant<Route, NoRoute> find_route(std::string_view method, std::string_view target);

/// "infer": a label for metrics.
const char* to_string(Endpoint endpoint);

/// Empty when a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace braid
