#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Settings parsed(const char* text) { return *Settings::parse(text, "src/base"); }

TEST(Settings, TakesTheValueOrTheFallback) {
  const Settings settings = parsed("{t: word, n: 2.5, i: 3, f: true, l: [a, b]}");
  EXPECT_EQ(*settings.text("t"), "word");
  EXPECT_EQ(*settings.text("none", "else"), "else");
  EXPECT_EQ(*settings.number("n", 0, 0, 10), 2.5);
  EXPECT_EQ(*settings.number("none", 7, 0, 10), 7);
  EXPECT_EQ(*settings.integer("i", 0, 0, 10), 3);
  EXPECT_TRUE(*settings.flag("f", false));
  EXPECT_THAT(*settings.texts("l", {}), ElementsAre("a", "b"));
  EXPECT_THAT(*settings.numbers("none", {1, 2}), ElementsAre(1, 2));
  EXPECT_TRUE(settings.finish().has_value());
}

TEST(Settings, NamesLineAndBoundsOfABadValue) {
  const Settings settings = parsed("a: 1\nn: 11\nw: [x]\nk: red\n");
  EXPECT_THAT(settings.number("n", 0, 0, 10).error().describe(),
              HasSubstr("settings:2: n: 11 is outside 0 … 10"));
  EXPECT_FALSE(settings.integer("n", 0, 12, 20).has_value());
  EXPECT_THAT(settings.text("w").error().describe(), HasSubstr("settings:3"));
  EXPECT_THAT(settings.choice("k", {"blue", "green"}, "blue").error().describe(),
              HasSubstr("'red' is none of: blue, green"));
  EXPECT_THAT(settings.text("none").error().describe(), HasSubstr("'none' is missing"));
  EXPECT_FALSE(settings.map("a").has_value());
}

// A typing mistake would otherwise leave the default in force without a word.
TEST(Settings, FinishFindsAKeyThatNobodyReads) {
  const Settings settings = parsed("window: 3\nwidht: 4\n");
  EXPECT_TRUE(settings.integer("window", 1, 0, 9).has_value());
  EXPECT_TRUE(settings.integer("width", 1, 0, 9).has_value());
  EXPECT_THAT(settings.finish().error().describe(),
              HasSubstr("settings:2: unknown key 'widht'; did you mean 'width'?"));
}

TEST(Settings, OfSomethingElseThanAMapAreRefused) {
  EXPECT_FALSE(parsed("[1, 2]").finish().has_value());
  EXPECT_TRUE(parsed("").finish().has_value());
}

TEST(Settings, FindsFilesRelativeToItsFolder) {
  const Settings settings = parsed("{good: yaml.h, bad: none.h}");
  EXPECT_EQ(*settings.file("good"), std::filesystem::path("src/base/yaml.h"));
  const Error missing = settings.file("bad").error();
  EXPECT_EQ(missing.code, Code::kNotFound);
  EXPECT_THAT(missing.describe(), HasSubstr("src/base/none.h"));
}

TEST(Settings, ANestedMapHasItsOwnKeys) {
  const Settings settings = parsed("{outer: {inner: 1}}");
  const Settings inner = *settings.map("outer");
  EXPECT_EQ(*inner.integer("inner", 0, 0, 9), 1);
  EXPECT_TRUE(inner.finish().has_value());
  EXPECT_TRUE(settings.map("none")->yaml().entries().empty());
}

TEST(NearestWord, IsNearOrNothing) {
  const std::set<std::string> known = {"temperature", "weights", "op"};
  EXPECT_EQ(nearest_word("temprature", known), "temperature");
  EXPECT_EQ(nearest_word("wieghts", known), "weights");
  EXPECT_EQ(nearest_word("inputs", known), "");
}

}  // namespace
}  // namespace braid
