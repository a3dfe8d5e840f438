#include "modality/log/log_words.h"

#include "modality/text/python_text.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

/// At most kLineBytesMax bytes that end where a code point ends.
std::string_view beginning_of(std::string_view utf8) {
  std::size_t end = DrainRules::kLineBytesMax;
  while (end > 0 && (static_cast<std::uint8_t>(utf8[end]) & 0xC0U) == 0x80) {
    --end;
  }
  return utf8.substr(0, end);
}

std::string_view stripped(std::string_view utf8) {
  std::size_t begin = utf8.size();
  std::size_t end = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t here = at;
    if (!is_python_space(next_code_point(utf8, at))) {
      begin = std::min(begin, here);
      end = at;
    }
  }
  return begin < end ? utf8.substr(begin, end - begin) : std::string_view();
}

void replace_by_blanks(std::string& text, const std::string& delimiter) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find(delimiter); at != std::string::npos;
       at = text.find(delimiter, copied)) {
    out.append(text, copied, at - copied);
    out += ' ';
    copied = at + delimiter.size();
  }
  if (copied > 0) {
    out.append(text, copied);
    text = std::move(out);
  }
}

}  // namespace

std::uint64_t word_hash(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : word) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x9E3779B97F4A7C15;
  }
  return hash;
}

LogWords::LogWords(const DrainRules& rules, Bytes line) {
  // Four bytes a replaced one would not fit: what is cut off is cut off before it is copied.
  constexpr std::size_t kRead = DrainRules::kLineBytesMax + 4;
  std::string replaced;
  std::string_view utf8 = as_utf8(line.substr(0, kRead), replaced);
  cut_ = utf8.size() > DrainRules::kLineBytesMax || line.size() > kRead;
  if (utf8.size() > DrainRules::kLineBytesMax) {
    utf8 = beginning_of(utf8);
  }
  text_ = rules.masks.apply(utf8);
  if (!rules.extra_delimiters.empty()) {
    text_ = std::string(stripped(text_));
    for (const std::string& delimiter : rules.extra_delimiters) {
      replace_by_blanks(text_, delimiter);
    }
  }
  split();
}

void LogWords::split() {
  const std::string_view text = text_;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (begin == end) {
      return;
    }
    if (words_.size() == DrainRules::kWordsMax) {
      cut_ = true;
      return;
    }
    const std::string_view word = text.substr(begin, end - begin);
    words_.push_back({word_hash(word), word});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (is_python_space(next_code_point(text, at))) {
      end_word(here);
      begin = at;
    }
  }
  end_word(text.size());
}

}  // namespace braid
