#include "modality/text/bert_rules.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

namespace braid {
namespace {

// The reference knows categories as of Unicode 8 and canonical equivalence as of Unicode 9. What
// came later is to it an unassigned letter that no rule touches, whatever this ICU knows of it.
constexpr int kCategoriesVersion = 8;
constexpr int kEquivalenceVersion = 9;

UChar32 to_icu(char32_t code_point) { return static_cast<UChar32>(code_point); }

bool is_known(char32_t code_point, int version) {
  UVersionInfo age;
  u_charAge(to_icu(code_point), age);
  return age[0] > 0 && (age[0] < version || (age[0] == version && age[1] == 0));
}

/// Unicode itself changed its mind about six after version 8.
std::int8_t category(char32_t code_point) {
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
      return is_known(code_point, kCategoriesVersion) ? u_charType(to_icu(code_point))
                                                      : std::int8_t{U_UNASSIGNED};
  }
}

bool is_blank(char32_t code_point) { return u_isUWhiteSpace(to_icu(code_point)) != 0; }

/// Of the controls BERT keeps those that people type, as blanks.
bool is_removed(char32_t code_point) {
  if (code_point == '\t' || code_point == '\n' || code_point == '\r') {
    return false;
  }
  const std::int8_t kind = category(code_point);
  return code_point == 0xFFFD || kind == U_CONTROL_CHAR || kind == U_FORMAT_CHAR ||
         kind == U_PRIVATE_USE_CHAR || kind == U_SURROGATE;
}

/// BERT counts the symbols of ASCII too, which Unicode does not.
bool is_punctuation(char32_t code_point) {
  constexpr std::string_view kAsciiSymbols = "$+<=>^`|~";
  if (code_point < 0x80 &&
      kAsciiSymbols.find(static_cast<char>(code_point)) != std::string_view::npos) {
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

struct Range {
  char32_t first, last;
  bool has(char32_t code_point) const { return code_point >= first && code_point <= last; }
};

/// The reference's ranges: extension E begins at U+2B920 there, not at U+2B820, and extensions F
/// and later are no ideographs to it.
bool is_ideograph(char32_t code_point) {
  constexpr Range kRanges[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
      {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F},
  };
  return std::ranges::any_of(kRanges, [&](const Range& range) { return range.has(code_point); });
}

/// Full canonical decomposition; the code point itself when it has none. Never an allocation for
/// one or two, which is nearly all.
std::u32string decomposed(char32_t code_point) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* nfd = unorm2_getNFDInstance(&status);
  UChar raw[32];
  const std::int32_t size =
      unorm2_getDecomposition(nfd, to_icu(code_point), raw, std::size(raw), &status);
  BRAID_CHECK(U_SUCCESS(status) != 0);
  if (size < 0 || !is_known(code_point, kEquivalenceVersion)) {
    return {code_point};
  }
  std::u32string all;
  for (std::int32_t i = 0; i < size;) {
    UChar32 part = 0;
    U16_NEXT(raw, i, size, part);
    all += static_cast<char32_t>(part);
  }
  return all;
}

/// One code point at a time, as the reference does: a sigma at the end of a word is an ordinary
/// one. Unicode 16 and 17, which the reference knows here, brought pairs that this ICU may lack.
std::u32string lowercased(char32_t code_point) {
  struct Pairs {
    Range upper;
    char32_t lower;
  };
  constexpr Pairs kLater[] = {
      {{0x1C89, 0x1C89}, 0x1C8A},    {{0xA7CB, 0xA7CB}, 0x0264}, {{0xA7CC, 0xA7CC}, 0xA7CD},
      {{0xA7CE, 0xA7CE}, 0xA7CF},    {{0xA7D2, 0xA7D2}, 0xA7D3}, {{0xA7D4, 0xA7D4}, 0xA7D5},
      {{0xA7DA, 0xA7DA}, 0xA7DB},    {{0xA7DC, 0xA7DC}, 0x019B}, {{0x10D50, 0x10D65}, 0x10D70},
      {{0x16EA0, 0x16EB8}, 0x16EBB},
  };
  for (const Pairs& later : kLater) {
    if (later.upper.has(code_point)) {
      return {later.lower + (code_point - later.upper.first)};
    }
  }
  if (code_point == 0x130) {
    return {U'i', 0x307};  // the only one that becomes two
  }
  return {static_cast<char32_t>(u_tolower(to_icu(code_point)))};
}

Role role_of(char32_t code_point, const BertRules& rules) {
  if (is_punctuation(code_point)) {
    return Role::kWord;
  }
  // Only decomposition brings marks into their canonical order.
  const bool moves = rules.strip_accents && combining_class(code_point) != 0;
  return moves ? Role::kMark : Role::kLetter;
}

}  // namespace

Result<void> check_unicode_data() {
  UErrorCode status = U_ZERO_ERROR;
  unorm2_getNFDInstance(&status);
  if (U_FAILURE(status) != 0) {
    return Error{Code::kInternal, std::string("ICU has no normalisation data: ") +
                                      u_errorName(status) + "; install libicu again"};
  }
  return {};
}

std::uint8_t combining_class(char32_t code_point) {
  return is_known(code_point, kEquivalenceVersion) ? u_getCombiningClass(to_icu(code_point)) : 0;
}

void normalise(char32_t code_point, const BertRules& rules, std::vector<Normalised>& into) {
  if (!is_known(code_point, kEquivalenceVersion)) {
    // Three quarters of all code points, so a table is built much sooner when no more is asked.
    const bool ideograph = rules.chinese_chars && is_ideograph(code_point);
    return into.push_back({ideograph ? Role::kWord : Role::kLetter,
                           rules.lowercase ? lowercased(code_point).front() : code_point});
  }
  if (is_removed(code_point)) {
    return into.push_back({Role::kDropped, 0});
  }
  if (is_blank(code_point)) {
    return into.push_back({Role::kBlank, ' '});
  }
  const bool ideograph = rules.chinese_chars && is_ideograph(code_point);
  for (const char32_t part :
       rules.strip_accents ? decomposed(code_point) : std::u32string(1, code_point)) {
    if (rules.strip_accents && category(part) == U_NON_SPACING_MARK) {
      into.push_back({combining_class(part) == 0 ? Role::kDroppedStarter : Role::kDropped, 0});
      continue;
    }
    for (const char32_t last : rules.lowercase ? lowercased(part) : std::u32string(1, part)) {
      into.push_back({ideograph ? Role::kWord : role_of(last, rules), last});
    }
  }
}

}  // namespace braid
