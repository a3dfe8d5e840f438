#include "modality/text/utf8.h"

#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

std::u32string decode(std::string_view bytes) {
  std::u32string text;
  for (std::size_t at = 0; at < bytes.size();) {
    text += next_code_point(bytes, at);
  }
  return text;
}

TEST(Utf8, ReadsTheFirstAndLastOfEachLength) {
  EXPECT_EQ(decode(std::string_view("\0\x7F", 2)), std::u32string({0, 0x7F}));
  EXPECT_EQ(decode("\xC2\x80\xDF\xBF"), std::u32string({0x80, 0x7FF}));
  EXPECT_EQ(decode("\xE0\xA0\x80\xEF\xBF\xBF"), std::u32string({0x800, 0xFFFF}));
  EXPECT_EQ(decode("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), std::u32string({0x10000, 0x10FFFF}));
}

// The Unicode Standard, table 3-8, and Python 3.11's bytes.decode(errors="replace").
TEST(Utf8, ReplacesEachLongestBeginningOnce) {
  const std::pair<std::string_view, std::u32string> cases[] = {
      {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
       U"a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"},
      {"\xC0\xAF", U"\uFFFD\uFFFD"},                      // overlong '/'
      {"\xE0\x80\xAF", U"\uFFFD\uFFFD\uFFFD"},            // overlong
      {"\xED\xA0\x80", U"\uFFFD\uFFFD\uFFFD"},            // a surrogate
      {"\xF4\x90\x80\x80", U"\uFFFD\uFFFD\uFFFD\uFFFD"},  // above U+10FFFF
      {"\xF0\x9F\x92", U"\uFFFD"},                        // cut off
      {"\xE2\x82"
       "A",
       U"\uFFFD"
       U"A"},
      {"\xFF\xFE", U"\uFFFD\uFFFD"},
  };
  for (const auto& [bytes, expected] : cases) {
    EXPECT_EQ(decode(bytes), expected);
    EXPECT_FALSE(is_utf8(bytes));
  }
}

TEST(Utf8, AReplacementCharacterInTheTextIsNoMistake) {
  EXPECT_TRUE(is_utf8("a\xEF\xBF\xBD"));
  EXPECT_FALSE(
      is_utf8("\xF0\x9F\x92"
              "a"));
}

TEST(Utf8, WritesWhatItReads) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) {
      code_point = 0xE000;
    }
    std::string bytes;
    append_utf8(code_point, bytes);
    std::size_t at = 0;
    ASSERT_EQ(next_code_point(bytes, at), code_point);
    ASSERT_EQ(at, bytes.size());
  }
}

}  // namespace
}  // namespace braid
