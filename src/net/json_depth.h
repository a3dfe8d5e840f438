#pragma once
// json_depth: how deep a JSON text nests, before anything is built from it. One pass over the
// bytes, no memory.

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace braid {

/// kInvalidArgument when lists and maps nest deeper than `depth_max`. What is no JSON at all passes
/// or not; the parser says so better.
Result<void> check_json_depth(std::string_view text, std::size_t depth_max);

}  // namespace braid
