#include "net/json_depth.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

/// Behind the string that begins before `at`; the end when it does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  while (true) {
    at = text.find_first_of("\"\\", at);
    if (at == std::string_view::npos) {
      return text.size();
    }
    if (text[at] == '"') {
      return at + 1;
    }
    at = std::min(at + 2, text.size());
  }
}

}  // namespace

Result<void> check_json_depth(std::string_view text, std::size_t depth_max) {
  std::size_t depth = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char character = text[at++];
    if (character == '"') {
      at = end_of_string(text, at);
    } else if (character == '[' || character == '{') {
      if (++depth > depth_max) {
        return Error{Code::kInvalidArgument,
                     fmt::format("the JSON nests deeper than the limit of {} levels (byte {})",
                                 depth_max, at - 1)};
      }
    } else if ((character == ']' || character == '}') && depth > 0) {
      --depth;
    }
  }
  return {};
}

}  // namespace braid
