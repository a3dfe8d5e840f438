#include "net/router.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace braid {
namespace {

struct Entry {
  const char* path;    // '*' is a name, '#' a version
  const char* method;  // GET also answers HEAD
  Endpoint endpoint;
};

constexpr Entry kTable[] = {
    {"v2", "GET", Endpoint::kServer},
    {"v2/health/live", "GET", Endpoint::kLive},
    {"v2/health/ready", "GET", Endpoint::kReady},
    {"v2/models/stats", "GET", Endpoint::kStatistics},
    {"v2/models/*", "GET", Endpoint::kModel},
    {"v2/models/*/ready", "GET", Endpoint::kModelReady},
    {"v2/models/*/infer", "POST", Endpoint::kInfer},
    {"v2/models/*/versions/#", "GET", Endpoint::kModel},
    {"v2/models/*/versions/#/ready", "GET", Endpoint::kModelReady},
    {"v2/models/*/versions/#/infer", "POST", Endpoint::kInfer},
    {"v2/models/*/config", "GET", Endpoint::kConfig},
    {"v2/models/*/versions/#/config", "GET", Endpoint::kConfig},
    {"v2/models/*/stats", "GET", Endpoint::kStatistics},
    {"v2/models/*/versions/#/stats", "GET", Endpoint::kStatistics},
    {"v2/models/*/trace/setting", "GET", Endpoint::kTrace},
    {"v2/models/*/trace/setting", "POST", Endpoint::kSetTrace},
    {"v2/trace/setting", "GET", Endpoint::kTrace},
    {"v2/trace/setting", "POST", Endpoint::kSetTrace},
    {"v2/logging", "GET", Endpoint::kLogging},
    {"v2/logging", "POST", Endpoint::kSetLogging},
    {"v2/repository/index", "POST", Endpoint::kIndex},
    {"v2/repository/models/*/load", "POST", Endpoint::kLoad},
    {"v2/repository/models/*/unload", "POST", Endpoint::kUnload},
    {"v2/pipelines/*", "GET", Endpoint::kPipeline},
    {"v2/pipelines/*/decide", "POST", Endpoint::kDecide},
};

/// Endpoints of the protocol's extensions that are not offered: they deserve better than "unknown".
constexpr const char* kNotOffered[] = {
    "v2/models/*/generate",
    "v2/models/*/generate_stream",
    "v2/models/*/versions/#/generate",
    "v2/models/*/versions/#/generate_stream",
    "v2/systemsharedmemory/status",
    "v2/systemsharedmemory/region/*/status",
    "v2/systemsharedmemory/region/*/register",
    "v2/systemsharedmemory/region/*/unregister",
    "v2/systemsharedmemory/unregister",
    "v2/cudasharedmemory/status",
    "v2/cudasharedmemory/region/*/status",
    "v2/cudasharedmemory/region/*/register",
    "v2/cudasharedmemory/region/*/unregister",
    "v2/cudasharedmemory/unregister",
};

constexpr std::size_t kSegmentsMax = 8;  // more than any path of ours has
using Segments = std::vector<std::string_view>;

/// Longer paths are cut: they match nothing either way.
Segments split(std::string_view path) {
  Segments segments;
  segments.reserve(kSegmentsMax);
  while (segments.size() < kSegmentsMax) {
    const std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) {
      break;
    }
    path.remove_prefix(slash + 1);
  }
  return segments;
}

/// "/v2/models/x" of an origin or absolute form, without query and fragment.
std::string_view path_of(std::string_view target) {
  if (target.starts_with("http://") || target.starts_with("https://")) {
    const std::size_t authority = target.find("//") + 2;
    const std::size_t slash = target.find('/', authority);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target.substr(0, target.find_first_of("?#"));
}

/// What the pattern leaves open: a name, then a version.
struct Open {
  std::array<std::string_view, 2> parts;
  std::size_t count = 0;
};

std::optional<Open> match(std::string_view pattern, const Segments& segments) {
  Open open;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t slash = pattern.find('/');
    const std::string_view wanted = pattern.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    if (last != (i + 1 == segments.size())) {
      return std::nullopt;
    }
    if (wanted == "*" || wanted == "#") {
      open.parts[open.count++] = segments[i];
    } else if (wanted != segments[i]) {
      return std::nullopt;
    }
    pattern.remove_prefix(last ? 0 : slash + 1);
  }
  return open;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::int64_t> version_of(std::string_view text) {
  std::int64_t version = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && version > 0 && text.front() != '0' ? std::optional(version) : std::nullopt;
}

std::variant<Route, NoRoute> make_route(const Entry& entry, const Open& open) {
  Route route{entry.endpoint, {}, {}};
  if (open.count > 0) {
    auto name = percent_decoded(open.parts[0]);
    if (!name.has_value()) {
      return NoRoute{
          400, fmt::format("'{}' is not valid percent-encoding", open.parts[0].substr(0, 100)), {}};
    }
    route.name = *std::move(name);
  }
  if (open.count > 1) {
    route.version = version_of(open.parts[1]);
    if (!route.version.has_value()) {
      return NoRoute{
          400,
          fmt::format("version '{}' is not a whole number from 1", open.parts[1].substr(0, 100)),
          {}};
    }
  }
  return route;
}

NoRoute unknown(std::string_view path, const Segments& segments) {
  for (const char* pattern : kNotOffered) {
    if (match(pattern, segments).has_value()) {
      return {404,
              fmt::format("'{}' belongs to an extension that is not offered here; GET /v2 "
                          "lists those that are",
                          path),
              {}};
    }
  }
  return {404,
          fmt::format("no such path: '{}'; they begin with /v2/health, /v2/models/NAME or "
                      "/v2/pipelines/NAME",
                      path.substr(0, 200)),
          {}};
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::variant<Route, NoRoute> find_route(std::string_view method, std::string_view target) {
  const std::string_view path = path_of(target);
  if (!path.starts_with('/')) {
    return NoRoute{400, "the request target is no path", {}};
  }
  Segments segments = split(path.substr(1));
  if (segments.size() == 2 && segments[1].empty()) {
    segments.pop_back();  // "/v2/", as one of the specification's two documents has it
  }
  std::string allow;
  for (const Entry& entry : kTable) {
    const auto open = match(entry.path, segments);
    if (!open.has_value()) {
      continue;
    }
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    if (entry.method == wanted) {
      return make_route(entry, *open);
    }
    allow += fmt::format("{}{}", allow.empty() ? "" : ", ",
                         std::string_view(entry.method) == "GET" ? "GET, HEAD" : entry.method);
  }
  if (!allow.empty()) {
    return NoRoute{405,
                   fmt::format("{} is not for '{}'; it takes {}", method.substr(0, 20),
                               path.substr(0, 200), allow),
                   allow};
  }
  return unknown(path, segments);
}

const char* to_string(Endpoint endpoint) {
  constexpr const char* kNames[] = {"server", "live",      "ready",  "model",   "model_ready",
                                    "infer",  "pipeline",  "decide", "config",  "statistics",
                                    "index",  "load",      "unload", "logging", "set_logging",
                                    "trace",  "set_trace", "none"};
  return kNames[static_cast<std::size_t>(endpoint)];
}

}  // namespace braid
