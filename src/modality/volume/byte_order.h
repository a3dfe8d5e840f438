#pragma once
// load_value: a number at any place of a file, in either byte order. Threads: pure functions.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace braid {

static_assert(std::endian::native == std::endian::little);

/// `from` need not be aligned. `swapped`: the file is big-endian.
template <typename T, bool swapped>
inline T load_value(const char* from) {
  if constexpr (sizeof(T) == 1) {
    return std::bit_cast<T>(*from);
  } else {
    using Bits =
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    if constexpr (swapped && sizeof(T) == 2) {
      bits = __builtin_bswap16(bits);
    } else if constexpr (swapped && sizeof(T) == 4) {
      bits = __builtin_bswap32(bits);
    } else if constexpr (swapped) {
      bits = __builtin_bswap64(bits);
    }
    return std::bit_cast<T>(bits);
  }
}

}  // namespace braid
