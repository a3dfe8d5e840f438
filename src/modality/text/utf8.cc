#include "modality/text/utf8.h"

#include <cstdint>

namespace braid {
namespace {

/// What may follow a first byte. The second is narrower where the full range would allow overlong
/// forms, surrogates or code points above U+10FFFF.
struct Sequence {
  int more = 0;  // 0: no sequence begins like this
  std::uint8_t second_min = 0x80;
  std::uint8_t second_max = 0xBF;
};

Sequence sequence_of(std::uint8_t first) {
  if (first < 0xC2 || first > 0xF4) {
    return {};
  }
  if (first < 0xE0) {
    return {1};
  }
  if (first < 0xF0) {
    return {2, std::uint8_t(first == 0xE0 ? 0xA0 : 0x80),
            std::uint8_t(first == 0xED ? 0x9F : 0xBF)};
  }
  return {3, std::uint8_t(first == 0xF0 ? 0x90 : 0x80), std::uint8_t(first == 0xF4 ? 0x8F : 0xBF)};
}

}  // namespace

char32_t next_code_point(std::string_view bytes, std::size_t& at) {
  const auto first = static_cast<std::uint8_t>(bytes[at++]);
  if (first < 0x80) {
    return first;
  }
  const Sequence sequence = sequence_of(first);
  if (sequence.more == 0) {
    return kReplacementCharacter;
  }
  char32_t code_point = first & (0x3FU >> sequence.more);
  std::uint8_t min = sequence.second_min;
  std::uint8_t max = sequence.second_max;
  for (int i = 0; i < sequence.more; ++i) {
    const auto next = static_cast<std::uint8_t>(at < bytes.size() ? bytes[at] : 0);
    if (next < min || next > max) {
      return kReplacementCharacter;  // `next` may begin another code point, so it stays
    }
    code_point = code_point << 6 | (next & 0x3FU);
    min = 0x80;
    max = 0xBF;
    ++at;
  }
  return code_point;
}

void append_utf8(char32_t code_point, std::string& to) {
  const auto continuation = [&](int shift) {
    return static_cast<char>(0x80U | (code_point >> shift & 0x3FU));
  };
  if (code_point < 0x80) {
    to += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    to += {static_cast<char>(0xC0U | code_point >> 6), continuation(0)};
  } else if (code_point < 0x10000) {
    to += {static_cast<char>(0xE0U | code_point >> 12), continuation(6), continuation(0)};
  } else {
    to += {static_cast<char>(0xF0U | code_point >> 18), continuation(12), continuation(6),
           continuation(0)};
  }
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    // U+FFFD itself takes three bytes, but so may a broken sequence of four.
    if (next_code_point(bytes, at) == kReplacementCharacter &&
        bytes.substr(begin, at - begin) != "\xEF\xBF\xBD") {
      return false;
    }
  }
  return true;
}

}  // namespace braid
