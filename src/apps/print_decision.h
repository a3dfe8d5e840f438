#pragma once
// A decision as a person reads it in a terminal.

#include <string>

#include "serve/request.h"

namespace braid {

/// Several lines without a last line break: label and confidence, the runners-up, what each input
/// contributed, the route with its times, what was missing.
std::string readable(const Decision& decision);

}  // namespace braid
