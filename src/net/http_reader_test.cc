#include "net/http_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using Step = HttpReader::Step;

/// Feeds `bytes` in pieces of at most `piece`; stops at anything but kNeedMore.
Step feed(HttpReader& reader, std::string_view& bytes, std::size_t piece) {
  while (true) {
    const Step step = reader.next();
    if (step != Step::kNeedMore || bytes.empty()) {
      return step;
    }
    const std::span<char> space = reader.space();
    const std::size_t count = std::min({space.size(), bytes.size(), piece});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    reader.commit(count);
  }
}

TEST(HttpReader, ReadsTheSameHoweverTheBytesArrive) {
  const std::string first =
      "POST /a?b HTTP/1.1\r\nHost: x\r\nX-Empty:\r\nContent-Length: 10\r\n\r\n0123456789";
  const std::string second =
      "POST /c HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;a=b\r\nabc\r\n00002\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n";
  for (const std::size_t piece : {1U, 2U, 7U, 50U, 1000U}) {
    SCOPED_TRACE(piece);
    HttpReader reader({});
    const std::string both = first + "\r\n" + second + first;
    std::string_view bytes = both;

    ASSERT_EQ(feed(reader, bytes, piece), Step::kRequest);
    EXPECT_EQ(reader.request().method, "POST");
    EXPECT_EQ(reader.request().target, "/a?b");
    EXPECT_EQ(*reader.request().header("HOST"), "x");
    EXPECT_EQ(*reader.request().header("x-empty"), "");
    EXPECT_EQ(reader.request().header("nope"), nullptr);
    EXPECT_EQ(reader.request().body.bytes(), "0123456789");
    EXPECT_TRUE(reader.keep_alive());

    reader.reset();
    ASSERT_EQ(feed(reader, bytes, piece), Step::kRequest);
    EXPECT_EQ(reader.request().target, "/c");
    EXPECT_EQ(reader.request().body.bytes(), "abcde");
    EXPECT_EQ(reader.request().header("x-trailer"), nullptr);

    reader.reset();
    ASSERT_EQ(feed(reader, bytes, piece), Step::kRequest);
    EXPECT_EQ(reader.request().body.bytes(), "0123456789");
    reader.reset();
    EXPECT_TRUE(reader.idle());
  }
}

TEST(HttpReader, WaitsForTheBodyOnlyWhenTheClientDoes) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
  HttpReader waiting({});
  std::string_view bytes = head;
  EXPECT_EQ(feed(waiting, bytes, 1000), Step::kContinue);
  bytes = "ab";
  EXPECT_EQ(feed(waiting, bytes, 1000), Step::kRequest);
  HttpReader eager({});
  const std::string whole = head + "ab";
  bytes = whole;
  EXPECT_EQ(feed(eager, bytes, 1000), Step::kRequest);
}

struct Refusal {
  const char* promise;
  std::string bytes;
  int status;
};

std::string get(std::string_view headers) {
  return fmt::format("GET / HTTP/1.1\r\n{}\r\n", headers);
}

TEST(HttpReader, RefusesWhatTwoReadersCouldReadDifferently) {
  const Refusal refusals[] = {
      {"length and chunked", get("Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
       400},
      {"chunked and length", get("Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
       400},
      {"two lengths", get("Host: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n"), 400},
      {"signed length", get("Host: x\r\nContent-Length: +5\r\n"), 400},
      {"negative length", get("Host: x\r\nContent-Length: -5\r\n"), 400},
      {"length in words", get("Host: x\r\nContent-Length: five\r\n"), 400},
      {"length beyond 64 bits", get("Host: x\r\nContent-Length: 18446744073709551616\r\n"), 400},
      {"chunked twice", get("Host: x\r\nTransfer-Encoding: chunked, chunked\r\n"), 501},
      {"chunked not last", get("Host: x\r\nTransfer-Encoding: chunked, gzip\r\n"), 501},
      {"gzip below chunked", get("Host: x\r\nTransfer-Encoding: gzip, chunked\r\n"), 501},
      {"unknown coding", get("Host: x\r\nTransfer-Encoding: xchunked\r\n"), 501},
      {"folded header", get("Host: x\r\nX: a\r\n b\r\n"), 400},
      {"blank before the colon", get("Host: x\r\nX : a\r\n"), 400},
      {"no colon", get("Host: x\r\nNoColon\r\n"), 400},
      {"NUL in a header", get(std::string("Host: x\r\nX: a\0b\r\n", 17)), 400},
      {"no host", get(""), 400},
      {"two hosts", get("Host: x\r\nHost: y\r\n"), 400},
      {"other expectation", get("Host: x\r\nExpect: wonders\r\n"), 417},
      {"HTTP/9.9", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       501},
      {"no HTTP", "GET\r\n\r\n", 400},
      {"TLS", "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03\r\n\r\n", 400},
      {"huge chunk", get("Host: x\r\nTransfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n",
       400},
      {"chunk without number", get("Host: x\r\nTransfer-Encoding: chunked\r\n") + "xyz\r\n", 400},
      {"chunk longer than said", get("Host: x\r\nTransfer-Encoding: chunked\r\n") + "1\r\nabc\r\n",
       400},
  };
  for (const Refusal& each : refusals) {
    for (const std::size_t piece : {1U, 1000U}) {
      SCOPED_TRACE(each.promise);
      HttpReader reader({});
      std::string_view bytes = each.bytes;
      ASSERT_EQ(feed(reader, bytes, piece), Step::kFailed);
      EXPECT_EQ(reader.failure().status, each.status) << reader.failure().message;
      EXPECT_EQ(reader.next(), Step::kFailed);
    }
  }
}

TEST(HttpReader, HoldsItsLimits) {
  const HttpReader::Limits limits{.head_bytes_max = 1000, .body_bytes_max = 100};
  const std::string chunked = get("Host: x\r\nTransfer-Encoding: chunked\r\n");
  const Refusal refusals[] = {
      {"one endless header", "GET / HTTP/1.1\r\nX: " + std::string(5000, 'y'), 431},
      {"an endless target", "GET /" + std::string(5000, 'y'), 431},
      {"many headers", get([] {
         std::string headers = "Host: x\r\n";
         for (int i = 0; i < 300; ++i) {
           headers += "X: y\r\n";
         }
         return headers;
       }()),
       431},
      {"empty lines without end", std::string(5000, '\n'), 431},
      {"length", get("Host: x\r\nContent-Length: 101\r\n"), 413},
      {"one chunk", chunked + "65\r\n", 413},
      {"many chunks", chunked + "32\r\n" + std::string(50, 'a') + "\r\n33\r\n", 413},
      {"an endless chunk extension", chunked + "1;" + std::string(5000, 'a'), 400},
      {"an endless trailer", chunked + "0\r\nX: " + std::string(5000, 'a'), 400},
  };
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.promise);
    HttpReader reader(limits);
    std::string_view bytes = each.bytes;
    ASSERT_EQ(feed(reader, bytes, 64), Step::kFailed);
    EXPECT_EQ(reader.failure().status, each.status) << reader.failure().message;
  }
  HttpReader reader(limits);
  const std::string whole = chunked + "64\r\n" + std::string(100, 'a') + "\r\n0\r\n\r\n";
  std::string_view bytes = whole;
  EXPECT_EQ(feed(reader, bytes, 64), Step::kRequest);
}

// 1,000,000 chunks of one byte are six times their size on the wire, and no more than that here.
TEST(HttpReader, ManySmallChunksMakeOneBody) {
  HttpReader reader({});
  std::string whole = get("Host: x\r\nTransfer-Encoding: chunked\r\n");
  for (int i = 0; i < 100000; ++i) {
    whole += "1\r\nx\r\n";
  }
  whole += "0\r\n\r\n";
  std::string_view bytes = whole;
  ASSERT_EQ(feed(reader, bytes, 65536), Step::kRequest);
  EXPECT_EQ(reader.request().body.size(), 100000U);
}

// Bodies are bounded over all connections, before a byte of them is kept.
TEST(HttpReader, RefusesABodyBeyondTheServersCredits) {
  ByteCredits credits(100);
  const HttpReader::Limits limits{.credits = &credits};
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n";
  HttpReader first(limits);
  std::string_view bytes = head;
  EXPECT_EQ(feed(first, bytes, 1000), Step::kNeedMore);
  EXPECT_EQ(credits.bytes_held(), 60U);
  {
    HttpReader second(limits);
    bytes = head;
    EXPECT_EQ(feed(second, bytes, 1000), Step::kFailed);
    EXPECT_EQ(second.failure().status, 503);
    EXPECT_THAT(second.failure().message, testing::HasSubstr("100 at most"));

    HttpReader chunked(limits);
    bytes =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n"
        "01234567890123456789012345678901\r\n10\r\n";
    EXPECT_EQ(feed(chunked, bytes, 1000), Step::kFailed);
    EXPECT_EQ(chunked.failure().status, 503);
  }
  const std::string body(60, 'x');
  bytes = body;
  ASSERT_EQ(feed(first, bytes, 1000), Step::kRequest);
  EXPECT_EQ(credits.bytes_held(), 60U);  // until it is answered
  first.reset();
  EXPECT_EQ(credits.bytes_held(), 0U);
}

}  // namespace
}  // namespace braid
