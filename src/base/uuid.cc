#include "base/uuid.h"

#include <chrono>
#include <random>

#include <fmt/format.h>

namespace braid {

std::string uuid_v7(std::uint64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low) {
  const std::uint64_t version_and_a = 0x7000 | (random_high & 0x0FFF);
  const std::uint64_t variant_and_b = 0x8000 | ((random_low >> 48) & 0x3FFF);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", (unix_ms >> 16) & 0xFFFFFFFF,
                     unix_ms & 0xFFFF, version_and_a, variant_and_b, random_low & 0xFFFFFFFFFFFF);
}

std::string new_uuid_v7() {
  // Seeded by the system once a thread; asking it for each id costs a system call.
  thread_local std::mt19937_64 random{(std::uint64_t{std::random_device{}()} << 32) |
                                      std::random_device{}()};
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
  return uuid_v7(static_cast<std::uint64_t>(unix_ms), random(), random());
}

}  // namespace braid
