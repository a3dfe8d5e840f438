#include "modality/text/code_point_table.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

/// What is left of "a", the code point, "b": one word a line, as the golden has it.
std::string words_of(const CodePointTable& table, char32_t code_point) {
  std::string words = "a";
  const auto take = [&](CodePointTable::Entry entry) {
    std::string self;
    append_utf8(entry.value == 0 ? code_point : entry.value, self);
    switch (entry.role()) {
      case Role::kDropped:
      case Role::kDroppedStarter:
        break;
      case Role::kBlank:
        words += '\n';
        break;
      case Role::kWord:
        words += '\n' + self + '\n';
        break;
      case Role::kLetter:
      case Role::kMark:
        words += self;
    }
  };
  const CodePointTable::Entry entry = table[code_point];
  if (entry.several != 0) {
    std::ranges::for_each(table.items(entry), take);
  } else {
    take(entry);
  }
  return words + "b\n\n";
}

/// Digests of what becomes of all code points, one for 4096 of them.
std::vector<std::string> block_digests(const CodePointTable& table) {
  constexpr char32_t kBlock = 0x1000;
  std::vector<std::string> digests;
  for (char32_t begin = 0; begin < 0x110000; begin += kBlock) {
    std::string words;
    for (char32_t code_point = begin; code_point < begin + kBlock; ++code_point) {
      const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
      words += surrogate ? "" : words_of(table, code_point);
    }
    digests.push_back(sha256(words).substr(0, 8));
  }
  return digests;
}

// All 1,112,064 of them, against Hugging Face `tokenizers` (tools/oracles/text_golden.py).
TEST(CodePointTable, TreatsEveryCodePointAsTheReference) {
  const Json golden = *Json::parse(*read_file("tests/data/modality/text/code_points.json"));
  ASSERT_EQ(golden.list()->size(), 4U);
  for (const Json& rules : *golden.list()) {
    const bool lowercase = *rules.find("lowercase")->boolean();
    const bool strip_accents = *rules.find("strip_accents")->boolean();
    const CodePointTable table =
        *CodePointTable::build({.lowercase = lowercase, .strip_accents = strip_accents});
    const std::vector<std::string> actual = block_digests(table);
    const Json::List& expected = *rules.find("blocks")->list();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t block = 0; block < actual.size(); ++block) {
      EXPECT_EQ(actual[block], *expected[block].text())
          << std::hex << "code points from U+" << block * 0x1000 << ", lowercase " << lowercase
          << ", strip_accents " << strip_accents;
    }
  }
}

TEST(CodePointTable, KeepsIdeographsInTheirWordsWhenAsked) {
  const CodePointTable table = *CodePointTable::build({.chinese_chars = false});
  EXPECT_EQ(table[0x4E2D].role(), Role::kLetter);
  EXPECT_EQ(table[0x20000].role(), Role::kLetter);
}

}  // namespace
}  // namespace braid
