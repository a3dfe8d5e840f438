#include "modality/text/code_point_table.h"

#include <algorithm>

namespace braid {
namespace {

using Entry = CodePointTable::Entry;

Entry entry(char32_t value, Role role) {
  return {.value = static_cast<std::uint32_t>(value) & 0xFFFFFFU,
          .role_bits = static_cast<std::uint32_t>(role) & 0x7FU,
          .several = 0};
}

/// Planes 4 to 13 are unassigned, 15 and 16 private but for the last two code points of each. That
/// is most of Unicode, and most of the time that a table would take.
bool is_like_the_page_before(std::size_t page_index) {
  const std::size_t plane = page_index >> 8;
  const std::size_t page_in_plane = page_index & 0xFF;
  return (plane > 4 && plane < 14) || (plane == 4 && page_in_plane > 0) ||
         (plane > 14 && page_in_plane > 0 && page_in_plane < 0xFF);
}

}  // namespace

Entry CodePointTable::store(char32_t code_point, std::span<const Normalised> left) {
  if (left.empty()) {
    return entry(0, Role::kDropped);
  }
  if (left.size() == 1) {
    // Most code points become themselves; written as 0, they make equal pages.
    const char32_t becomes = left.front().code_point;
    return entry(becomes == code_point ? 0 : becomes, left.front().role);
  }
  BRAID_CHECK(left.size() < kItemsMax);
  Entry several = entry(static_cast<char32_t>(items_.size() * kItemsMax + left.size()), Role{});
  several.several = 1;
  for (const Normalised& item : left) {
    items_.push_back(entry(item.code_point, item.role));
  }
  return several;
}

Result<CodePointTable> CodePointTable::build(const BertRules& rules) {
  BRAID_TRY_DO(check_unicode_data());
  CodePointTable table;
  std::vector<Entry> page;
  std::vector<Normalised> left;
  for (std::size_t page_index = 0; page_index < kPageCount; ++page_index) {
    if (is_like_the_page_before(page_index)) {
      table.page_of_[page_index] = table.page_of_[page_index - 1];
      continue;
    }
    page.clear();
    for (std::size_t i = 0; i < kPageSize; ++i) {
      const auto code_point = static_cast<char32_t>(page_index * kPageSize + i);
      left.clear();
      normalise(code_point, rules, left);
      page.push_back(table.store(code_point, left));
    }
    // The wide unassigned, private and ideographic areas are runs of equal pages.
    std::vector<Entry>& entries = table.entries_;
    if (entries.empty() || !std::ranges::equal(page, std::span(entries).last(kPageSize))) {
      entries.insert(entries.end(), page.begin(), page.end());
    }
    table.page_of_[page_index] = static_cast<std::uint16_t>(entries.size() / kPageSize - 1);
  }
  return table;
}

}  // namespace braid
