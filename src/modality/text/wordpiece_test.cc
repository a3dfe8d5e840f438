#include "modality/text/wordpiece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using Ids = std::vector<std::int64_t>;

// The example of the paper that brought WordPiece to BERT: unaffable → un ##aff ##able
// (Devlin et al. 2019, reference implementation).
constexpr std::string_view kLines = "[UNK]\nun\n##aff\n##able\nunab\n##a\naff\nél\n##é\n";

WordPiece vocabulary(std::string_view lines = kLines) {
  return *WordPiece::parse(lines, "vocab.txt", "[UNK]");
}

Ids split(std::string_view word, const WordPiece& vocabulary = vocabulary()) {
  Ids ids;
  vocabulary.split(word, ids);
  return ids;
}

TEST(WordPiece, TakesTheLongestPieceEachTime) {
  EXPECT_EQ(split("unaffable"), (Ids{1, 2, 3}));
  EXPECT_EQ(split("unabaff"), (Ids{4, 2}));
}

// A shorter first piece would have led to an answer; the longest is never taken back.
TEST(WordPiece, IsGreedy) { EXPECT_EQ(split("unable"), (Ids{0})); }

TEST(WordPiece, APieceWithMarksIsNoWordAndAWordIsNoSuchPiece) {
  EXPECT_EQ(split("able"), (Ids{0}));
  EXPECT_EQ(split("ununab"), (Ids{0}));
}

TEST(WordPiece, OneUnknownPartMakesTheWholeWordUnknown) {
  Ids ids = {7};
  vocabulary().split("unaffx", ids);
  EXPECT_EQ(ids, (Ids{7, 0}));
}

TEST(WordPiece, SplitsBetweenCodePointsOnly) {
  EXPECT_EQ(split("élé"), (Ids{7, 8}));
  EXPECT_EQ(split("è"), (Ids{0}));
}

TEST(WordPiece, FindsTokensAsTheyAreWritten) {
  const WordPiece words = vocabulary();
  EXPECT_EQ(words.id_of("aff"), 6);
  EXPECT_EQ(words.id_of("##aff"), 2);
  EXPECT_EQ(words.id_of("affable"), WordPiece::kNone);
  EXPECT_EQ(words.id_of(""), WordPiece::kNone);
  EXPECT_EQ(words.size(), 9U);
}

// Files from Windows end their lines with \r\n; blank lines still count.
TEST(WordPiece, CountsEveryLine) {
  const WordPiece words = vocabulary("[UNK]\r\n\r\na\r\nb");
  EXPECT_EQ(words.id_of("a"), 2);
  EXPECT_EQ(words.id_of("b"), 3);
}

TEST(WordPiece, ATokenTwiceHasItsLastId) {
  EXPECT_EQ(vocabulary("[UNK]\na\nb\na\n").id_of("a"), 3);
}

TEST(WordPiece, NamesTheLineThatIsNoUtf8) {
  const auto result = WordPiece::parse("[UNK]\nab\n\xFF\n", "vocab.txt", "[UNK]");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kInvalidArgument);
  EXPECT_THAT(result.error().message, testing::HasSubstr("vocab.txt:3"));
}

TEST(WordPiece, RefusesAVocabularyWithoutUnknown) {
  for (const std::string_view lines : {"", "\n", "a\nb\n"}) {
    const auto result = WordPiece::parse(lines, "vocab.txt", "[UNK]");
    ASSERT_FALSE(result.has_value());
    EXPECT_THAT(result.error().message, testing::HasSubstr("[UNK]"));
  }
}

}  // namespace
}  // namespace braid
