#pragma once
// Wall time of a moment that a Clock told, for people and protocols. Never for waiting.

#include <cstdint>

#include "base/clock.h"

namespace braid {

/// Milliseconds since 1970 of a moment that is past.
std::uint64_t wall_ms(const Clock& clock, TimePoint then);

}  // namespace braid
