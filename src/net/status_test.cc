#include "net/status.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Status, EachCodeHasItsOwnMeaning) {
  const std::pair<Code, int> table[] = {{Code::kInvalidArgument, 400},  {Code::kNotFound, 404},
                                        {Code::kUnsupported, 501},      {Code::kExhausted, 503},
                                        {Code::kDeadlineExceeded, 504}, {Code::kCancelled, 400},
                                        {Code::kUnavailable, 503},      {Code::kInternal, 500}};
  for (const auto& [code, status] : table) {
    EXPECT_EQ(http_status(code), status);
  }
}

// A hostile name in a message must not break out of the JSON.
TEST(Status, ErrorTextIsJson) {
  const HttpResponse response =
      to_response(Error{Code::kNotFound, "no '\"\\\n\xff'"}.within("model"));
  EXPECT_EQ(response.body, "{\"error\":\"model: no '\\\"\\\\\\u000a\xEF\xBF\xBD'\"}");
}

}  // namespace
}  // namespace braid
