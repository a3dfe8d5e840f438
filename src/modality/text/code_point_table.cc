#include "modality/text/code_point_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

namespace braid {
namespace {

using Kind = CodePointTable::Kind;
using Entry = CodePointTable::Entry;

// The reference knows categories as of Unicode 8 and canonical equivalence as of Unicode 9. What
// came later is to it an unassigned letter that no rule touches, whatever this ICU knows of it.
constexpr int kCategoriesVersion = 8;
constexpr int kEquivalenceVersion = 9;

bool is_known(char32_t code_point, int version) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(code_point), age);
  return age[0] > 0 && (age[0] < version || (age[0] == version && age[1] == 0));
}

/// Unicode itself changed its mind about these five after version 8.
std::optional<std::int8_t> former_category(char32_t code_point) {
  switch (code_point) {
    case 0x166D:   // Canadian syllabics chi sign
    case 0x111C9:  // Sharada sandhi mark
      return U_OTHER_PUNCTUATION;
    case 0x1734:  // Hanunoo sign pamudpod
      return U_NON_SPACING_MARK;
    case 0x1885:  // Mongolian letter Ali Gali baluda
    case 0x1886:  // Mongolian letter Ali Gali three baluda
      return U_OTHER_LETTER;
    case 0xA9BD:  // Javanese consonant sign keret
      return U_COMBINING_SPACING_MARK;
    default:
      return std::nullopt;
  }
}

std::int8_t category(char32_t code_point) {
  if (const auto former = former_category(code_point)) {
    return *former;
  }
  return is_known(code_point, kCategoriesVersion) ? u_charType(static_cast<UChar32>(code_point))
                                                  : std::int8_t{U_UNASSIGNED};
}

/// Without blanks that are controls, which BERT keeps as blanks.
bool is_removed(char32_t code_point) {
  if (code_point == '\t' || code_point == '\n' || code_point == '\r') {
    return false;
  }
  const std::int8_t kind = category(code_point);
  return code_point == 0 || code_point == 0xFFFD || kind == U_CONTROL_CHAR ||
         kind == U_FORMAT_CHAR || kind == U_PRIVATE_USE_CHAR || kind == U_SURROGATE;
}

bool is_blank(char32_t code_point) {
  return u_isUWhiteSpace(static_cast<UChar32>(code_point)) != 0;
}

/// BERT counts the symbols of ASCII too, which Unicode does not.
bool is_punctuation(char32_t code_point) {
  constexpr std::string_view kAsciiSymbols = "$+<=>^`|~";
  if (code_point < 0x80 &&
      kAsciiSymbols.find(static_cast<char>(code_point)) != kAsciiSymbols.npos) {
    return true;
  }
  switch (category(code_point)) {
    case U_DASH_PUNCTUATION:
    case U_START_PUNCTUATION:
    case U_END_PUNCTUATION:
    case U_CONNECTOR_PUNCTUATION:
    case U_OTHER_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
      return true;
    default:
      return false;
  }
}

/// The reference's ranges: extension E begins at U+2B920 there, not at U+2B820, and extensions F
/// and later are no ideographs to it.
bool is_ideograph(char32_t code_point) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
      {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F},
  };
  return std::ranges::any_of(kRanges, [&](const auto& range) {
    return code_point >= range.first && code_point <= range.second;
  });
}

/// Full canonical decomposition; the code point itself when it has none.
std::u32string decomposed(const icu::Normalizer2& nfd, char32_t code_point) {
  icu::UnicodeString raw;
  const auto character = static_cast<UChar32>(code_point);
  if (!is_known(code_point, kEquivalenceVersion) || nfd.getDecomposition(character, raw) == 0) {
    return {code_point};
  }
  std::u32string all;
  for (std::int32_t i = 0; i < raw.length(); i = raw.moveIndex32(i, 1)) {
    all += static_cast<char32_t>(raw.char32At(i));
  }
  return all;
}

/// One code point at a time, as the reference does: a sigma at the end of a word is an ordinary
/// one. Unicode 16 and 17, which the reference knows, brought pairs that this ICU may lack.
std::u32string lowercased(char32_t code_point) {
  struct Later {
    char32_t first, last, lower;
  };
  constexpr Later kLater[] = {
      {0x1C89, 0x1C89, 0x1C8A},    {0xA7CB, 0xA7CB, 0x0264}, {0xA7CC, 0xA7CC, 0xA7CD},
      {0xA7CE, 0xA7CE, 0xA7CF},    {0xA7D2, 0xA7D2, 0xA7D3}, {0xA7D4, 0xA7D4, 0xA7D5},
      {0xA7DA, 0xA7DA, 0xA7DB},    {0xA7DC, 0xA7DC, 0x019B}, {0x10D50, 0x10D65, 0x10D70},
      {0x16EA0, 0x16EB8, 0x16EBB},
  };
  for (const Later& later : kLater) {
    if (code_point >= later.first && code_point <= later.last) {
      return {later.lower + (code_point - later.first)};
    }
  }
  if (code_point == 0x130) {
    return {U'i', 0x307};  // the only one that becomes two
  }
  return {static_cast<char32_t>(u_tolower(static_cast<UChar32>(code_point)))};
}

/// Of one code point of a text: what is left of it, in order.
class Normaliser {
 public:
  Normaliser(const BertRules& rules, const icu::Normalizer2& nfd) : rules_(rules), nfd_(nfd) {}

  std::vector<Entry> of(char32_t code_point) const {
    if (is_removed(code_point)) {
      return {entry(Kind::kDropped, 0)};
    }
    if (is_blank(code_point)) {
      return {entry(Kind::kBlank, ' ')};
    }
    const bool ideograph = rules_.chinese_chars && is_ideograph(code_point);
    std::vector<Entry> left;
    for (const char32_t part :
         rules_.strip_accents ? decomposed(nfd_, code_point) : std::u32string(1, code_point)) {
      if (rules_.strip_accents && category(part) == U_NON_SPACING_MARK) {
        if (CodePointTable::combining_class(part) == 0) {
          left.push_back(entry(Kind::kDroppedStarter, 0));
        }
        continue;
      }
      for (const char32_t last : rules_.lowercase ? lowercased(part) : std::u32string(1, part)) {
        left.push_back(entry(ideograph ? Kind::kIdeograph : kind_of(last), last));
      }
    }
    return left;
  }

 private:
  static Entry entry(Kind kind, char32_t value) {
    return {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(value) & 0xFFFFFFU};
  }

  Kind kind_of(char32_t code_point) const {
    if (is_punctuation(code_point)) {
      return Kind::kPunctuation;
    }
    // Only decomposition brings marks into their canonical order.
    const bool moves = rules_.strip_accents && CodePointTable::combining_class(code_point) != 0;
    return moves ? Kind::kMark : Kind::kLetter;
  }

  BertRules rules_;
  const icu::Normalizer2& nfd_;
};

}  // namespace

std::uint8_t CodePointTable::combining_class(char32_t mark) {
  return is_known(mark, kEquivalenceVersion) ? u_getCombiningClass(static_cast<UChar32>(mark)) : 0;
}

Result<CodePointTable> CodePointTable::build(const BertRules& rules) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(status);
  if (U_FAILURE(status) != 0) {
    return Error{Code::kInternal, std::string("ICU has no normalisation data: ") +
                                      u_errorName(status) + "; install libicu again"};
  }
  const Normaliser normaliser(rules, *nfd);
  CodePointTable table;
  std::map<std::vector<std::uint64_t>, std::uint16_t> known_pages;
  for (std::size_t page = 0; page < kPageCount; ++page) {
    std::vector<Entry> entries;
    std::vector<std::uint64_t> key;
    for (std::size_t i = 0; i < kPageSize; ++i) {
      const auto code_point = static_cast<char32_t>(page * kPageSize + i);
      std::vector<Entry> left = normaliser.of(code_point);
      Entry whole = {static_cast<std::uint32_t>(Kind::kDropped), 0};
      if (left.size() == 1) {
        whole = left.front();
        // Equal pages are found where most code points become themselves.
        whole.value = whole.value == code_point ? 0U : static_cast<std::uint32_t>(whole.value);
      } else if (left.size() > 1) {
        BRAID_CHECK(left.size() < kItemsMax);
        whole = {
            static_cast<std::uint32_t>(Kind::kSeveral),
            static_cast<std::uint32_t>(table.items_.size() * kItemsMax + left.size()) & 0xFFFFFFU};
        table.items_.insert(table.items_.end(), left.begin(), left.end());
      }
      entries.push_back(whole);
      key.push_back(std::uint64_t{whole.kind} << 32 | whole.value);
    }
    const auto next_page = static_cast<std::uint16_t>(table.entries_.size() / kPageSize);
    const auto [at, added] = known_pages.try_emplace(std::move(key), next_page);
    table.page_of_[page] = at->second;
    if (added) {
      table.entries_.insert(table.entries_.end(), entries.begin(), entries.end());
    }
  }
  return table;
}

}  // namespace braid
