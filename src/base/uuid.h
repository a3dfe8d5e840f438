#pragma once
// UUID version 7 (RFC 9562, section 5.7): sortable by time, so logs and stores keep their order.

#include <cstdint>
#include <string>

namespace braid {

/// `unix_ms` since 1970 in the first 48 bits, 74 bits of `random_high` and `random_low`.
std::string uuid_v7(std::uint64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low);

/// Of now and of the system's random source.
std::string new_uuid_v7();

}  // namespace braid
