#pragma once
// UBJSON: the binary JSON of model.ubj. Only reading, only to look before a library does.

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace braid {

/// ubjson.org, draft 12: at most 64 levels deep, the whole text. NaN and infinities are null, as
/// JSON lacks them. kInvalidArgument says what is wrong at which byte.
Result<Json> parse_ubjson(std::string_view bytes);

}  // namespace braid
