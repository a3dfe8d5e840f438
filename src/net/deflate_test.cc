#include "net/deflate.h"

#include <gtest/gtest.h>

#include "net/inflate.h"

namespace braid {
namespace {

TEST(AcceptedCoding, FollowsTheWeights) {
  EXPECT_EQ(accepted_coding("gzip, deflate, br"), Coding::kGzip);
  EXPECT_EQ(accepted_coding("deflate"), Coding::kDeflate);
  EXPECT_EQ(accepted_coding("gzip;q=0.2, deflate;q=0.8"), Coding::kDeflate);
  EXPECT_EQ(accepted_coding("gzip;q=0, deflate;q=0"), Coding::kNone);
  EXPECT_EQ(accepted_coding("br, *"), Coding::kNone);
  EXPECT_EQ(accepted_coding("gzip;q=high"), Coding::kNone);
  EXPECT_EQ(accepted_coding(""), Coding::kNone);
  EXPECT_EQ(accepted_coding(" GZIP ; q=1"), Coding::kGzip);
}

TEST(EncodeBody, IsInflatedAgain) {
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    const std::string text(10000, 'a');
    HttpResponse response{.body = text};
    encode_body(coding, response);
    EXPECT_LT(response.body.size(), 200U);
    ASSERT_EQ(response.headers.front().first, "Content-Encoding");
    const Body body = Body::copy_of(response.body);
    const HttpHeader header{"content-encoding", response.headers.front().second};
    Body inflated;
    const auto decoded = decoded_body(
        {.method = "POST", .target = "/", .headers = {&header, 1}, .body = body}, 20000, inflated);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ((*decoded)->bytes(), text);
  }
}

TEST(EncodeBody, LeavesASmallOneAlone) {
  HttpResponse response{.body = "{}"};
  encode_body(Coding::kGzip, response);
  EXPECT_EQ(response.body, "{}");
  EXPECT_TRUE(response.headers.empty());
}

}  // namespace
}  // namespace braid
