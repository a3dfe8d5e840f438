#include "base/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Json, KeepsOrderNumbersAndTexts) {
  const char* text =
      R"({"z":1,"a":[true,null,-2.5,"µ \"q\" \u0001"],"big":18446744073709551615,"e":{}})";
  const auto json = Json::parse(text);
  ASSERT_TRUE(json.has_value()) << json.error().describe();
  EXPECT_EQ(json->dump(), text);
  EXPECT_EQ(json->find("a")->list()->size(), 4U);
  EXPECT_EQ((*json->find("a")->list())[2].number(), -2.5);
  EXPECT_EQ(json->find("none"), nullptr);
  EXPECT_EQ(Json(1).find("x"), nullptr);
}

TEST(Json, ADoubleComesBackBitForBit) {
  for (const double value : {0.1, 1e-300, -1.7976931348623157e308, 5e-324, 1.0 / 3}) {
    EXPECT_EQ(Json::parse(Json(value).dump())->number(), value);
  }
}

// JSON has no word for them; a reader that fails on "nan" would lose the whole answer.
TEST(Json, WritesNullForNumbersThatJsonLacks) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, RefusesWhatReadersWouldDisagreeAbout) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "01", "nul", "\"\x01\"", "[1] 2",
                           "\"\xFF\"", "NaN"}) {
    EXPECT_EQ(Json::parse(text).error().code, Code::kInvalidArgument) << text;
  }
}

// A deep document must not use up the stack of a network thread.
TEST(Json, RefusesMoreThan64Levels) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Json::parse(nested(60)).has_value());
  EXPECT_FALSE(Json::parse(nested(65)).has_value());
  EXPECT_FALSE(Json::parse(nested(100000)).has_value());
}

TEST(Json, TellsWholeNumbersFromOthers) {
  std::int64_t whole = 0;
  EXPECT_TRUE(Json(3.0).integer(whole));
  EXPECT_EQ(whole, 3);
  EXPECT_FALSE(Json(3.5).integer(whole));
  EXPECT_FALSE(Json(1e300).integer(whole));
  EXPECT_FALSE(Json("3").integer(whole));
  EXPECT_FALSE(Json("3").is_number());
}

// A count made by us and the same count read from a file are equal.
TEST(Json, EqualNumbersAreEqualWhateverTheyWereMadeFrom) {
  std::int64_t whole = 0;
  EXPECT_EQ(Json(std::uint64_t{5}), Json(5));
  EXPECT_TRUE(Json(std::uint64_t{5}).integer(whole));
  EXPECT_EQ(*Json::parse("18446744073709551615"), Json(~std::uint64_t{0}));
}

TEST(Json, SetReplacesInPlace) {
  Json json;
  json.set("a", 1);
  json.set("b", 2);
  json.set("a", "x");
  EXPECT_EQ(json.dump(), R"({"a":"x","b":2})");
}

TEST(Json, IndentedTextMeansTheSame) {
  const auto json = *Json::parse(R"({"a":[{"b":1},{"c":[]}],"d":{"e":null}})");
  const std::string indented = json.dump(2);
  EXPECT_NE(indented.find("\n  \"a\""), std::string::npos);
  EXPECT_EQ(*Json::parse(indented), json);
}

// The answer's bytes come from clients and files; what is not UTF-8 must not make it unreadable.
TEST(JsonQuoted, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_quoted("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_quoted("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");      // overlong slash
  EXPECT_EQ(json_quoted("\xED\xA0\x80").find("\xED"), std::string::npos);  // a lone surrogate
  EXPECT_EQ(json_quoted("\xF0\x9F\x98\x80 \xE2\x82\xAC"), "\"\xF0\x9F\x98\x80 \xE2\x82\xAC\"");
  EXPECT_EQ(json_quoted("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // cut short
  EXPECT_EQ(json_quoted(std::string_view("\0\n\\", 3)), "\"\\u0000\\u000a\\\\\"");
}

}  // namespace
}  // namespace braid
