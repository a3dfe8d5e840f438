// The bytes are written by hand after the format's description, ubjson.org, draft 12.

#include "model/ubjson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::HasSubstr;
using std::string_literals::operator""s;

std::string parsed(const std::string& bytes) { return parse_ubjson(bytes)->dump(); }
std::string refusal(const std::string& bytes) { return parse_ubjson(bytes).error().message; }

TEST(Ubjson, ReadsEveryKindOfValue) {
  EXPECT_EQ(parsed("Z"), "null");
  EXPECT_EQ(parsed("[TFZ]"), "[true,false,null]");
  EXPECT_EQ(parsed("[i\xFFU\xFFI\x01\x00l\xFF\xFF\xFF\xFEL\x00\x00\x00\x01\x00\x00\x00\x00]"s),
            "[-1,255,256,-2,4294967296]");
  EXPECT_EQ(parsed("[d\xBF\x00\x00\x00"s + "D\x3F\xE0\x00\x00\x00\x00\x00\x00]"s), "[-0.5,0.5]");
  EXPECT_EQ(parsed("Si\x02"
                   "ab"),
            "\"ab\"");
}

TEST(Ubjson, ReadsContainersWithAndWithoutCounts) {
  EXPECT_EQ(parsed("{i\x01"
                   "a[i\x01]L\x00\x00\x00\x00\x00\x00\x00\x01"
                   "b{}}"s),
            R"({"a":[1],"b":{}})");
  EXPECT_EQ(parsed("[#i\x02i\x05i\x06"s), "[5,6]");
  EXPECT_EQ(parsed("[$l#i\x02\x00\x00\x00\x07\x00\x00\x01\x00"s), "[7,256]");
  EXPECT_EQ(parsed("{$i#i\x01i\x01"
                   "a\x09"),
            R"({"a":9})");
  EXPECT_EQ(parsed("[$d#i\x00"s), "[]");
}

// JSON has no such numbers.
TEST(Ubjson, MakesInfinitiesNull) {
  EXPECT_EQ(parsed("[d\x7F\x80\x00\x00"s + "d\x7F\xC0\x00\x00]"s), "[null,null]");
}

TEST(Ubjson, SaysWhatIsWrongWhere) {
  EXPECT_THAT(refusal(""), HasSubstr("ends early at byte 0 of 0"));
  EXPECT_THAT(refusal("[i\x01"), HasSubstr("ends early"));
  EXPECT_THAT(refusal("I\x01"), HasSubstr("ends early at byte 1 of 2"));
  EXPECT_THAT(refusal("ZZ"), HasSubstr("bytes after the end at byte 1"));
  EXPECT_THAT(refusal("?"), HasSubstr("marker 0x3f"));
  EXPECT_THAT(refusal("Si\xFF"), HasSubstr("a length is no number"));
  EXPECT_THAT(refusal("[$i]"), HasSubstr("a type without a count"));
}

// What a hostile length asks for must not be allocated.
TEST(Ubjson, BelievesNoCountBeyondTheEnd) {
  EXPECT_THAT(refusal("[$l#L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), HasSubstr("a count beyond"));
  EXPECT_THAT(refusal("[$Z#l\x7F\xFF\xFF\xFF"), HasSubstr("a count beyond"));
  EXPECT_THAT(refusal("SL\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), HasSubstr("ends early"));
  EXPECT_THAT(refusal(std::string(1000, '[')), HasSubstr("too many levels"));
}

}  // namespace
}  // namespace braid
