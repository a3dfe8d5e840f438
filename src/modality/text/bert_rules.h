#pragma once
// BertRules: what BERT's normaliser and pre-tokenizer make of one code point. The rules are those
// of Hugging Face `tokenizers`, with its Unicode versions; docs/decisions/0020-text-ids.md.
// Threads: pure functions.

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace braid {

/// What a model was trained with; the defaults are BERT uncased.
struct BertRules {
  bool lowercase = true;
  bool strip_accents = true;  // canonical decomposition, then no nonspacing marks
  bool chinese_chars = true;  // each ideograph is a word
};

enum class Role : std::uint8_t {
  kDropped,
  kDroppedStarter,  // dropped too, but marks around it do not change places
  kBlank,           // ends a word
  kWord,            // is a word: punctuation, an ideograph
  kLetter,          // of a word
  kMark,            // a letter that canonical order may move before other marks
};

struct Normalised {
  Role role;
  char32_t code_point;  // of what is not dropped
};

/// kInternal when ICU has lost its data; asked once, so that normalise() need not.
Result<void> check_unicode_data();

/// Appends what is left of `code_point`, which is at most U+10FFFF: at most eight items.
void normalise(char32_t code_point, const BertRules& rules, std::vector<Normalised>& into);

/// Canonical combining class: marks sort by it.
std::uint8_t combining_class(char32_t code_point);

}  // namespace braid
