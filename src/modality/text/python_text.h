#pragma once
// What Python's str and re say of text, for libraries of Python that we give the numbers of:
// scikit-learn's n-grams, Drain3's tokens. Unicode is that of this ICU.
// Threads: pure functions.

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace braid {

/// `raw` itself when it is UTF-8; else `scratch`, with U+FFFD for what is none, as Python's
/// errors="replace" decodes.
std::string_view as_utf8(Bytes raw, std::string& scratch);

/// \w of a str: str.isalnum() or '_'. Combining marks are none.
bool is_python_word(char32_t code_point);
/// \s of a str, and what str.split() and str.strip() take: str.isspace().
bool is_python_space(char32_t code_point);
/// str.isdigit(): decimal digits, and superscripts and the like.
bool is_python_digit(char32_t code_point);

/// str.lower(): full case mapping without a language, with the sigma that ends a word. `utf8` is
/// valid.
std::string python_lower(std::string_view utf8);

}  // namespace braid
