#pragma once
// LogWords: one line of a log, masked and cut into words as Drain3 cuts it.
// Threads: a value like any other.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "modality/log/drain_rules.h"

namespace braid {

/// What stands in a template for any word.
constexpr std::string_view kAnyWord = "<*>";

std::uint64_t word_hash(std::string_view word);

struct LogWord {
  std::uint64_t hash;
  std::string_view text;
};

class LogWords {
 public:
  /// What is no UTF-8 counts as U+FFFD. Beyond kLineBytesMax bytes, never inside a code point, and
  /// kWordsMax words the line is cut off.
  LogWords(const DrainRules& rules, Bytes line);
  LogWords(const LogWords&) = delete;  // words() point into it
  LogWords& operator=(const LogWords&) = delete;

  const std::vector<LogWord>& words() const { return words_; }
  bool cut() const { return cut_; }

 private:
  void split();

  std::string text_;
  std::vector<LogWord> words_;
  bool cut_ = false;
};

}  // namespace braid
