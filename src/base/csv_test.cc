#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<std::string>> cells(std::string_view text) {
  std::vector<std::vector<std::string>> cells;
  const auto rows = parse_csv(text);
  EXPECT_TRUE(rows.has_value()) << rows.error().describe();
  for (const CsvRow& row : *rows) {
    cells.push_back(row.cells);
  }
  return cells;
}

// The examples of RFC 4180, section 2.
TEST(Csv, ReadsWhatTheStandardAllows) {
  using Cells = std::vector<std::vector<std::string>>;
  const Cells two = {{"aaa", "bbb"}, {"zzz", "yyy"}};
  EXPECT_EQ(cells("aaa,bbb\r\nzzz,yyy\r\n"), two);
  EXPECT_EQ(cells("aaa,bbb\nzzz,yyy"), two);
  EXPECT_EQ(cells("\"aaa\",\"b\r\nbb\"\r\nzzz,yyy"), (Cells{{"aaa", "b\r\nbb"}, {"zzz", "yyy"}}));
  EXPECT_EQ(cells("\"b\"\"b\",c"), (Cells{{"b\"b", "c"}}));
  EXPECT_EQ(cells("a,b c ,\n"), (Cells{{"a", "b c ", ""}}));
}

TEST(Csv, SkipsTheByteOrderMarkAndBlankLines) {
  EXPECT_THAT(cells("\xEF\xBB\xBF"
                    "id\n\n1\n\n"),
              ElementsAre(ElementsAre("id"), ElementsAre("1")));
  EXPECT_THAT(cells(""), ElementsAre());
}

// A message that is one line off sends a person to an innocent row.
TEST(Csv, KnowsTheLineOfARowBehindQuotedLineBreaks) {
  const auto rows = *parse_csv("a\n\"one\ntwo\nthree\",x\n\nlast\n");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].line, 2U);
  EXPECT_EQ(rows[2].line, 6U);
}

TEST(Csv, NamesTheLineOfABrokenQuote) {
  EXPECT_THAT(parse_csv("a\nb\n\"open\nto the end").error().describe(), HasSubstr("line 3"));
  EXPECT_THAT(parse_csv("a\nb\"c\n").error().describe(), HasSubstr("line 2"));
  EXPECT_THAT(parse_csv("\"a\"b\n").error().describe(), HasSubstr("after a closing quote"));
}

TEST(Csv, QuotesACellOnlyWhereItMust) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  for (const char* cell : {"", "a,b", "\"", "\r\n", "x\ny,\"z\""}) {
    EXPECT_EQ(cells(csv_cell(cell) + ",end")[0][0], cell);
  }
}

}  // namespace
}  // namespace braid
