#include "net/multipart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::string_literals;

// As curl 7.88 sends `-F photo=@a.jpg -F title=`: bytes of every kind, an empty field.
TEST(Multipart, ReadsWhatCurlSends) {
  const std::string photo = "\xff\xd8\r\n\r\n--X\0\r\n-"s;
  const std::string body =
      "--------------------------0cc\r\n"
      "Content-Disposition: form-data; name=\"photo\"; filename=\"a \\\"b\\\".jpg\"\r\n"
      "Content-Type: image/jpeg\r\n\r\n" +
      photo +
      "\r\n--------------------------0cc\r\n"
      "Content-Disposition: form-data; name=\"title\"\r\n\r\n"
      "\r\n--------------------------0cc--\r\n";
  const auto parts =
      parse_multipart("multipart/form-data; boundary=------------------------0cc", body);
  ASSERT_TRUE(parts.has_value()) << parts.error().describe();
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0].name, "photo");
  EXPECT_EQ((*parts)[0].file_name, "a \"b\".jpg");
  EXPECT_EQ((*parts)[0].content, photo);
  EXPECT_EQ((*parts)[1].name, "title");
  EXPECT_EQ((*parts)[1].file_name, std::nullopt);
  EXPECT_EQ((*parts)[1].content, "");
}

struct Case {
  const char* promise;
  const char* type;
  std::string body;
  const char* says;  // of a refusal; of a success the contents, joined by '|'
};

constexpr const char* kType = "multipart/form-data; boundary=B";
const std::string kHead = "Content-Disposition: form-data; name=\"a\"\r\n\r\n";

TEST(Multipart, ReadsOtherForms) {
  const Case cases[] = {
      {"quoted boundary", "multipart/form-data; charset=utf-8; Boundary=\"B\"",
       "--B\r\n" + kHead + "1\r\n--B--", "1"},
      {"preamble and epilogue", kType, "hi\r\n--B\r\n" + kHead + "1\r\n--B--\r\nbye", "1"},
      {"blanks after a boundary", kType, "--B \t\r\n" + kHead + "1\r\n--B--", "1"},
      {"no parts", kType, "--B--\r\n", ""},
      {"name without quotes", kType,
       "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B--", "1"},
      {"single backslashes in a file name", kType,
       "--B\r\ncontent-disposition: FORM-DATA; filename=\"C:\\x\\\"; name=\"a\"\r\n\r\n1\r\n--B--",
       "refused"},
      {"content that ends like a boundary", kType, "--B\r\n" + kHead + "\r\n--\r\n--B--", "\r\n--"},
      {"content of one line break", kType, "--B\r\n" + kHead + "\r\n\r\n--B--", "\r\n"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.promise);
    const auto parts = parse_multipart(each.type, each.body);
    std::string joined = parts.has_value() ? "" : "refused";
    for (const FormPart& part : parts.has_value() ? *parts : std::vector<FormPart>()) {
      joined += part.content;
    }
    EXPECT_EQ(joined, each.says);
  }
}

TEST(Multipart, RefusesInWords) {
  const Case cases[] = {
      {"no boundary", "multipart/form-data", "--B--", "names no boundary"},
      {"empty boundary", "multipart/form-data; boundary=", "--B--", "names no boundary"},
      {"unclosed quote", "multipart/form-data; boundary=\"B", "--B--", "does not end"},
      {"empty body", kType, "", "does not occur"},
      {"another boundary", kType, "--C\r\n" + kHead + "1\r\n--C--", "does not occur"},
      {"cut in the content", kType, "--B\r\n" + kHead + "1", "cut short"},
      {"cut in the head", kType, "--B\r\nContent-Dis", "do not end"},
      {"cut after a boundary", kType, "--B\r\n" + kHead + "1\r\n--B", "follows a boundary"},
      {"junk after a boundary", kType, "--Bx\r\n" + kHead + "1\r\n--B--", "follows a boundary"},
      {"no name", kType, "--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n--B--", "no name"},
      {"no disposition", kType, "--B\r\nX: y\r\n\r\n1\r\n--B--", "no name"},
      {"two names", kType, "--B\r\n" + kHead.substr(0, kHead.size() - 2) + kHead + "1\r\n--B--",
       "or two"},
      {"attachment", kType, "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--B--",
       "not form-data"},
      {"base64", kType, "--B\r\nContent-Transfer-Encoding: base64\r\n" + kHead + "1\r\n--B--",
       "'base64' is not taken"},
      {"a header without colon", kType, "--B\r\nnope\r\n" + kHead + "1\r\n--B--", "no ':'"},
      {"an endless head", kType, "--B\r\nX: " + std::string(10000, 'y') + "\r\n" + kHead,
       "do not end within"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.promise);
    const auto parts = parse_multipart(each.type, each.body);
    ASSERT_FALSE(parts.has_value());
    EXPECT_EQ(parts.error().code, Code::kInvalidArgument);
    EXPECT_THAT(parts.error().describe(), testing::HasSubstr(each.says));
  }
}

TEST(Multipart, HasALimitOfParts) {
  std::string body;
  for (int i = 0; i < 300; ++i) {
    body += "\r\n--B\r\n" + kHead + "1";
  }
  EXPECT_THAT(parse_multipart(kType, body + "\r\n--B--").error().describe(),
              testing::HasSubstr("more than 256 parts"));
}

}  // namespace
}  // namespace braid
