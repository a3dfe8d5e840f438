#pragma once
// multipart/form-data (RFC 7578) as browsers and curl send it: parts by name, bodies of any bytes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

struct FormPart {
  std::string name;
  std::optional<std::string> file_name;
  Bytes content;  // of the body that was parsed
};

inline constexpr std::size_t kFormPartsMax = 256;

/// `content_type` is the header's value with its boundary. kInvalidArgument says what is wrong;
/// what stands before the first and after the last boundary is skipped, as the standard has it.
Result<std::vector<FormPart>> parse_multipart(std::string_view content_type, Bytes body);

}  // namespace braid
