#pragma once
// CodePointTable: what BERT's normaliser and pre-tokenizer make of each code point, looked up in
// one step: dropped, a blank, a word of its own, or letters of a word. Built from ICU once per
// preprocessor, since asking ICU for each character of each text costs ten times as much.
// The rules are those of Hugging Face `tokenizers`, with its Unicode versions; see
// docs/decisions/0020-text-as-the-reference.md.
// Threads: constant after construction.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

/// What a model was trained with; the defaults are BERT uncased.
struct BertRules {
  bool lowercase = true;
  bool strip_accents = true;  // canonical decomposition, then no nonspacing marks
  bool chinese_chars = true;  // each ideograph is a word
};

class CodePointTable {
 public:
  enum class Kind : std::uint8_t {
    kDropped,
    kDroppedStarter,  // dropped too, but marks around it do not change places
    kBlank,           // ends a word
    kPunctuation,     // is a word
    kIdeograph,       // likewise
    kLetter,          // of a word
    kMark,            // a letter that canonical order may move before other marks
    kSeveral,         // decomposes; items() has what
  };
  struct Entry {
    std::uint32_t kind : 8;
    std::uint32_t value : 24;  // the code point that it becomes, or 0 for itself

    Kind what() const { return static_cast<Kind>(kind); }
    bool operator==(const Entry&) const = default;
  };

  /// kInternal when ICU has lost its data.
  static Result<CodePointTable> build(const BertRules& rules);

  /// `code_point` is at most U+10FFFF.
  Entry operator[](char32_t code_point) const {
    return entries_[page_of_[code_point >> 8] * kPageSize + (code_point & 0xFFU)];
  }
  /// The items of a kSeveral; none of them is another.
  std::span<const Entry> items(Entry several) const {
    return {items_.data() + several.value / kItemsMax, several.value % kItemsMax};
  }

  /// Canonical combining class of what a kMark becomes: marks sort by it.
  static std::uint8_t combining_class(char32_t mark);

 private:
  static constexpr std::size_t kPageSize = 256;
  static constexpr std::size_t kPageCount = 0x110000 / kPageSize;
  static constexpr std::size_t kItemsMax = 8;  // canonical decompositions have at most 4

  CodePointTable() = default;

  std::array<std::uint16_t, kPageCount> page_of_ = {};
  std::vector<Entry> entries_;  // whole pages; equal ones are kept once
  std::vector<Entry> items_;
};

}  // namespace braid
