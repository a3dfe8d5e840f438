#pragma once
// The text of a config.pbtxt as a message, and what the marks of triton_config.proto say of it.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

namespace triton {
class ModelConfig;  // generated from triton_config.proto
}

struct TritonText {
  std::string file;
  std::map<std::string, int> lines;   // of what is written: "input[0]", "input[0].dims"
  std::vector<std::string> warnings;  // for fields marked `warned`

  /// "config.pbtxt:12"; without a line when nothing of that name is written.
  std::string where(const std::string& path) const;
  /// kInvalidArgument "config.pbtxt:12: words".
  Error error(const std::string& path, std::string_view words) const;
};

/// kInvalidArgument for a syntax error or an unknown field, kUnsupported for the first field that
/// is marked `refused`.
Result<TritonText> parse_triton_text(const std::string& text, const std::string& file,
                                     triton::ModelConfig& into);

}  // namespace braid
