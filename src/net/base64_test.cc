#include "net/base64.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

// The test vectors of RFC 4648, section 10.
TEST(Base64, DecodesTheStandardsVectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"Zg==", "f"},
                                                         {"Zm8=", "fo"},
                                                         {"Zm9v", "foo"},
                                                         {"Zm9vYg==", "foob"},
                                                         {"Zm9vYmE=", "fooba"},
                                                         {"Zm9vYmFy", "foobar"}};
  for (const auto& [text, bytes] : vectors) {
    EXPECT_EQ(*from_base64(text), bytes);
  }
  EXPECT_EQ(*from_base64("+/+/"), "\xfb\xff\xbf");
}

TEST(Base64, IsStrict) {
  for (const char* text :
       {"Zg", "Zg=", "Zm9v\n", "Zm9-", "Zh==", "=", "====", "Z===", "Zg==Zg=="}) {
    EXPECT_EQ(from_base64(text).error().code, Code::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace braid
