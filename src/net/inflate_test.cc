#include "net/inflate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::string_literals;

// Three times {"inputs":[]}, by Python's gzip.compress(…, mtime=0) and zlib.compress.
const std::string kPlain = R"({"inputs":[]}{"inputs":[]}{"inputs":[]})";
const std::string kGzip =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad"
    "\xad\xc6\xc9\x01\x00\x82\x08\x31\x37\x27\x00\x00\x00"s;
const std::string kZlib =
    "\x78\x9c\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad\xad\xc6\xc9\x01\x00\x21\xef\x0e"
    "\x74"s;

struct Outcome {
  std::string bytes;
  Code code = Code::kInternal;  // of a refusal
  bool operator==(const Outcome&) const = default;
};

Outcome decode(std::string_view coding, std::string_view bytes, std::size_t size_max = 1000) {
  const Body body = Body::copy_of(bytes);
  const HttpHeader headers[] = {{"Content-Encoding", coding}};
  const HttpRequest request{.method = "POST", .target = "/", .headers = headers, .body = body};
  Body into;
  const auto decoded = decoded_body(request, size_max, into);
  return decoded.has_value() ? Outcome{std::string((*decoded)->bytes())}
                             : Outcome{{}, decoded.error().code};
}

TEST(Inflate, KnowsGzipDeflateAndIdentity) {
  EXPECT_EQ(decode("gzip", kGzip).bytes, kPlain);
  EXPECT_EQ(decode("GZIP", kGzip).bytes, kPlain);
  EXPECT_EQ(decode("deflate", kZlib).bytes, kPlain);
  EXPECT_EQ(decode("identity", kPlain).bytes, kPlain);
  EXPECT_EQ(decode("", kPlain).bytes, kPlain);
}

TEST(Inflate, RefusesWhatItDoesNotKnow) {
  for (const char* coding : {"br", "zstd", "gzip, br", "deflate, gzip"}) {
    EXPECT_EQ(decode(coding, kGzip).code, Code::kUnsupported);
  }
}

TEST(Inflate, RefusesWhatIsBroken) {
  std::string bad_sum = kGzip;
  bad_sum[bad_sum.size() - 8] ^= 1;
  std::string bad_size = kGzip;
  bad_size[bad_size.size() - 4] ^= 1;
  const std::string broken[] = {"",
                                "plain text",
                                kGzip.substr(0, 10),
                                kGzip.substr(0, kGzip.size() - 8),
                                kGzip.substr(0, kGzip.size() - 1),
                                bad_sum,
                                bad_size,
                                kGzip + "x",
                                kGzip + kGzip};
  for (const std::string& each : broken) {
    EXPECT_EQ(decode("gzip", each).code, Code::kInvalidArgument);
  }
  EXPECT_EQ(decode("deflate", kPlain).code, Code::kInvalidArgument);
}

TEST(Inflate, HasALimit) {
  EXPECT_EQ(decode("gzip", kGzip, kPlain.size()).bytes, kPlain);
  EXPECT_EQ(decode("gzip", kGzip, kPlain.size() - 1).code, Code::kExhausted);
}

}  // namespace
}  // namespace braid
