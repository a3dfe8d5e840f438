#pragma once
// SHA-256, which names contents: of files, of inputs, of what a head was fitted on.

#include <string>
#include <string_view>

namespace braid {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace braid
