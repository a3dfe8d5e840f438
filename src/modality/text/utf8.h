#pragma once
// UTF-8, read one code point at a time from bytes that may be anything.

#include <cstddef>
#include <string>
#include <string_view>

namespace braid {

constexpr char32_t kReplacementCharacter = 0xFFFD;

/// The code point at `at`, which moves behind it; `at` is inside `bytes`. What is no UTF-8 becomes
/// U+FFFD, one for each longest beginning of a sequence that could have become one (The Unicode
/// Standard, section 3.9, table 3-7), as Python's `errors="replace"` does.
char32_t next_code_point(std::string_view bytes, std::size_t& at);

/// `code_point` is a scalar value: no surrogate, at most U+10FFFF.
void append_utf8(char32_t code_point, std::string& to);

/// Whether next_code_point() would read all of it without replacing anything.
bool is_utf8(std::string_view bytes);

}  // namespace braid
