#include "modality/ngrams/units.h"

#include <array>

#include "modality/text/python_text.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

/// Of the bytes below 0x80 which are \w; asking for each as a code point takes twice as long.
constexpr std::array<bool, 128> kAsciiWord = [] {
  std::array<bool, 128> is_word = {};
  for (const char c : std::string_view("_0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    is_word[static_cast<std::uint8_t>(c)] = true;
  }
  return is_word;
}();

/// Whether the code point at `at`, which moves behind it, is \w.
bool next_is_word(std::string_view utf8, std::size_t& at) {
  const auto byte = static_cast<std::uint8_t>(utf8[at]);
  if (byte < 0x80) {
    ++at;
    return kAsciiWord[byte];
  }
  return is_python_word(next_code_point(utf8, at));
}

}  // namespace

Units::Units(const NgramRules& rules, Bytes raw) : rules_(rules) {
  std::string replaced;
  std::string lower;
  std::string_view text = as_utf8(raw, replaced);
  if (rules.lowercase) {
    lower = python_lower(text);
    text = lower;
  }
  text_.reserve(text.size() + 2);
  switch (rules.analyzer) {
    case Analyzer::kWord:
      cut_words(text);
      break;
    case Analyzer::kChar:
      cut_text(text);
      break;
    case Analyzer::kCharWb:
      cut_between_blanks(text);
      break;
  }
}

/// \b\w\w+\b: runs of two or more; one blank between any two, as an n-gram has it.
void Units::cut_words(std::string_view text) {
  units_.reserve(text.size() / 5 + 1);
  std::size_t begin = 0;
  std::size_t length = 0;  // of the word so far, in code points
  const auto end_word = [&](std::size_t end) {
    if (length >= 2) {
      if (!text_.empty()) {
        text_ += ' ';
      }
      const auto first = static_cast<std::uint32_t>(text_.size());
      text_ += text.substr(begin, end - begin);
      units_.push_back({first, static_cast<std::uint32_t>(text_.size())});
    }
    length = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (!next_is_word(text, at)) {
      end_word(here);
      continue;
    }
    begin = length == 0 ? here : begin;
    ++length;
  }
  end_word(text.size());
  runs_.push_back({0, static_cast<std::uint32_t>(units_.size())});
}

/// Two or more blanks of any kind are one; a single one stays what it is.
void Units::cut_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!is_python_space(next_code_point(text, at))) {
      text_ += text.substr(begin, at - begin);
      continue;
    }
    const std::size_t end_of_first = at;
    std::size_t ahead = at;
    while (ahead < text.size() && is_python_space(next_code_point(text, ahead))) {
      at = ahead;
    }
    text_ += at == end_of_first ? text.substr(begin, at - begin) : std::string_view(" ");
  }
  add_run(0);
}

void Units::cut_between_blanks(std::string_view text) {
  const auto add_word = [&](std::string_view word) {
    if (!word.empty()) {
      const std::size_t begin = text_.size();
      text_ += ' ';
      text_ += word;
      text_ += ' ';
      add_run(begin);
    }
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (is_python_space(next_code_point(text, at))) {
      add_word(text.substr(begin, here - begin));
      begin = at;
    }
  }
  add_word(text.substr(begin));
}

/// Every code point of text_ from `begin` on is a unit.
void Units::add_run(std::size_t begin) {
  const auto first = static_cast<std::uint32_t>(units_.size());
  for (std::size_t at = begin; at < text_.size();) {
    const auto from = static_cast<std::uint32_t>(at);
    next_code_point(text_, at);
    units_.push_back({from, static_cast<std::uint32_t>(at)});
  }
  runs_.push_back({first, static_cast<std::uint32_t>(units_.size())});
}

}  // namespace braid
