#pragma once
// CodePointTable: the answers of bert_rules.h for all code points, looked up in one step. Built
// once per preprocessor, since asking ICU for each character of each text costs ten times as much.
// Threads: constant after construction.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "modality/text/bert_rules.h"

namespace braid {

class CodePointTable {
 public:
  struct Entry {
    std::uint32_t value : 24;  // the code point that it becomes, or 0 for itself
    std::uint32_t role_bits : 7;
    std::uint32_t several : 1;  // items() has what it becomes, and role_bits nothing

    Role role() const { return static_cast<Role>(role_bits); }
    bool operator==(const Entry&) const = default;
  };

  /// kInternal when ICU has lost its data.
  static Result<CodePointTable> build(const BertRules& rules);

  /// `code_point` is at most U+10FFFF.
  Entry operator[](char32_t code_point) const {
    return entries_[page_of_[code_point / kPageSize] * kPageSize + code_point % kPageSize];
  }
  /// What an entry with `several` becomes; no item has it again, and none stands for itself.
  std::span<const Entry> items(Entry entry) const {
    return {items_.data() + entry.value / kItemsMax, entry.value % kItemsMax};
  }

 private:
  static constexpr std::size_t kPageSize = 256;
  static constexpr std::size_t kPageCount = 0x110000 / kPageSize;
  static constexpr std::size_t kItemsMax = 8;

  CodePointTable() = default;
  Entry store(char32_t code_point, std::span<const Normalised> left);

  std::array<std::uint16_t, kPageCount> page_of_ = {};
  std::vector<Entry> entries_;  // whole pages; equal neighbours are kept once
  std::vector<Entry> items_;
};

}  // namespace braid
