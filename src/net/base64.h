#pragma once
// Base64 (RFC 4648, section 4), strict: padded, no line breaks, no other alphabet.

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

Result<std::string> from_base64(std::string_view text);

}  // namespace braid
