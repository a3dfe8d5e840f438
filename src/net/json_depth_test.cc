#include "net/json_depth.h"

#include <string>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(JsonDepth, CountsListsAndMapsOutsideOfStrings) {
  EXPECT_TRUE(check_json_depth(R"({"a": [1, {"b": 2}], "c": []})", 3).has_value());
  EXPECT_FALSE(check_json_depth(R"({"a": [1, {"b": 2}], "c": []})", 2).has_value());
  EXPECT_TRUE(check_json_depth(R"({"[[[[": "{{{{ \" [[[["})", 1).has_value());
  EXPECT_TRUE(check_json_depth(R"(["\\", ["x"]])", 2).has_value());
  EXPECT_FALSE(check_json_depth(R"(["\\", [["x"]]])", 2).has_value());
}

TEST(JsonDepth, IsNotFooledByBrokenText) {
  EXPECT_TRUE(check_json_depth("]]]]{}", 1).has_value());
  EXPECT_TRUE(check_json_depth("\"never ends [[[[", 1).has_value());
  EXPECT_TRUE(check_json_depth("\"ends with \\", 1).has_value());
  EXPECT_FALSE(check_json_depth(std::string(1 << 20, '['), 64).has_value());
}

}  // namespace
}  // namespace braid
