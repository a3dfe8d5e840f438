#include "modality/text/python_text.h"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

#include "base/check.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

int numeric_type(char32_t code_point) {
  return u_getIntPropertyValue(static_cast<UChar32>(code_point), UCHAR_NUMERIC_TYPE);
}

char lowered(char byte) {
  return static_cast<char>(byte + (byte >= 'A' && byte <= 'Z' ? 'a' - 'A' : 0));
}

// Nearly all texts are, and a loop without a branch is read by vectors.
bool is_ascii(std::string_view bytes) {
  std::uint8_t all = 0;
  for (const char byte : bytes) {
    all = static_cast<std::uint8_t>(all | static_cast<std::uint8_t>(byte));
  }
  return all < 0x80;
}

}  // namespace

std::string_view as_utf8(Bytes raw, std::string& scratch) {
  if (is_ascii(raw) || is_utf8(raw)) {
    return raw;
  }
  scratch.clear();
  for (std::size_t at = 0; at < raw.size();) {
    append_utf8(next_code_point(raw, at), scratch);
  }
  return scratch;
}

bool is_python_word(char32_t code_point) {
  if (code_point < 0x80) {
    return (code_point >= '0' && code_point <= '9') || (code_point >= 'a' && code_point <= 'z') ||
           (code_point >= 'A' && code_point <= 'Z') || code_point == '_';
  }
  return u_isalpha(static_cast<UChar32>(code_point)) != 0 || numeric_type(code_point) != U_NT_NONE;
}

bool is_python_space(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) ||
           (code_point >= 0x1C && code_point <= 0x1F);
  }
  return code_point == 0x85 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

bool is_python_digit(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point >= '0' && code_point <= '9';
  }
  const int type = numeric_type(code_point);
  return type == U_NT_DECIMAL || type == U_NT_DIGIT;
}

std::string python_lower(std::string_view utf8) {
  std::string lower;
  if (is_ascii(utf8)) {
    lower.resize(utf8.size());
    std::ranges::transform(utf8, lower.begin(), lowered);
    return lower;
  }
  lower.reserve(utf8.size());
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&lower);
  icu::CaseMap::utf8ToLower("", 0, {utf8.data(), static_cast<std::int32_t>(utf8.size())}, sink,
                            nullptr, status);
  BRAID_CHECK(U_SUCCESS(status) != 0);  // only memory can fail
  return lower;
}

}  // namespace braid
