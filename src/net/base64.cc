#include "net/base64.h"

#include <array>
#include <cstdint>

namespace braid {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each character, or -1.
constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

constexpr std::array<std::int8_t, 256> kValues = make_values();

Error wrong(const char* message) { return Error{Code::kInvalidArgument, message}; }

}  // namespace

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return wrong("base64 comes in groups of four characters, padded with '='");
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char character : text) {
    const std::int8_t value = kValues[static_cast<unsigned char>(character)];
    if (value < 0) {
      return wrong("a character is not of the base64 alphabet");
    }
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xFF);
    }
  }
  if ((group & ((1U << bits) - 1)) != 0) {
    return wrong("the last base64 group has bits that belong to no byte");
  }
  return bytes;
}

}  // namespace braid
