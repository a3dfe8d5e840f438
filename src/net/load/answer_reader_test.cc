#include "net/load/answer_reader.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using Step = AnswerReader::Step;

struct Read {
  Step step = Step::kNeedMore;
  int status = 0;
  std::string body;
  std::size_t body_size = 0;
  bool keep_alive = false;
  std::string failure;
  std::string left;
  bool operator==(const Read&) const = default;
};

/// What a reader makes of bytes that come in pieces of that size, the stream ended behind them.
Read read(std::string_view bytes, std::size_t piece, std::size_t kept_max = 1000) {
  AnswerReader reader(kept_max);
  Step step = Step::kNeedMore;
  std::string_view part;
  while (step == Step::kNeedMore && !bytes.empty()) {
    part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    step = reader.take(part);
  }
  if (step == Step::kNeedMore) {
    step = reader.end();
  }
  return {step,
          reader.status(),
          std::string(reader.body()),
          reader.body_size_bytes(),
          reader.keep_alive(),
          reader.failure(),
          step == Step::kAnswer ? std::string(part) + std::string(bytes) : ""};
}

Read in_all_pieces(std::string_view bytes) {
  const Read whole = read(bytes, bytes.size());
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    const Read parts = read(bytes, piece);
    EXPECT_EQ(parts == whole, true) << "pieces of " << piece << ": " << bytes;
  }
  return whole;
}

TEST(AnswerReader, ReadsALengthHoweverItIsWritten) {
  for (const char* name : {"Content-Length: ", "content-length:", "CONTENT-LENGTH:\t "}) {
    const Read got =
        in_all_pieces(std::string("HTTP/1.1 200 OK\r\nA: b\r\n") + name + "5\r\n\r\nhello");
    EXPECT_EQ(got.step, Step::kAnswer) << name;
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, "hello");
    EXPECT_TRUE(got.keep_alive);
  }
}

TEST(AnswerReader, ReadsChunksWithExtensionsAndTrailers) {
  const Read got = in_all_pieces(
      "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;x=y\r\nhello\r\nA\r\n, world!!!\r\n0\r\nTrailer: 1\r\n\r\n");
  EXPECT_EQ(got.step, Step::kAnswer);
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.body, "hello, world!!!");
}

TEST(AnswerReader, ReadsToTheEndWhereThereIsNoLength) {
  const Read got = in_all_pieces("HTTP/1.0 200 OK\r\n\r\nall of it");
  EXPECT_EQ(got.step, Step::kAnswer);
  EXPECT_EQ(got.body, "all of it");
  EXPECT_FALSE(got.keep_alive);
}

TEST(AnswerReader, SkipsContinueAndLeavesTheNextAnswer) {
  const Read got = in_all_pieces(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n"
      "\r\nxHTTP/1.1 200 OK\r\n");
  EXPECT_EQ(got.body, "x");
  EXPECT_FALSE(got.keep_alive);
  EXPECT_EQ(got.left, "HTTP/1.1 200 OK\r\n");
}

TEST(AnswerReader, HasNoBodyWhereThereIsNone) {
  EXPECT_EQ(in_all_pieces("HTTP/1.1 204 No Content\r\n\r\n").step, Step::kAnswer);
  EXPECT_EQ(in_all_pieces("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").step, Step::kAnswer);
}

TEST(AnswerReader, CountsWhatItDoesNotKeep) {
  const std::string body(100'000, 'x');
  const Read got = read("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + body, 777, 10);
  EXPECT_EQ(got.step, Step::kAnswer);
  EXPECT_EQ(got.body, "xxxxxxxxxx");
  EXPECT_EQ(got.body_size, 100'000U);
}

TEST(AnswerReader, ReadsOneAnswerAfterTheOther) {
  AnswerReader reader(100);
  for (const char* body : {"one", "two", "six"}) {
    std::string bytes = std::string("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n") + body;
    std::string_view view = bytes;
    ASSERT_EQ(reader.take(view), Step::kAnswer);
    EXPECT_EQ(reader.body(), body);
    reader.reset();
  }
}

TEST(AnswerReader, SaysWhatIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"SSH-2.0-OpenSSH\r\n", "this is no HTTP answer: 'SSH-2.0-OpenSSH'; is it an HTTP port?"},
      {"HTTP/1.1 20x\r\n\r\n", "no HTTP answer"},
      {"HTTP/1.1 200 OK\r\nbroken\r\n\r\n", "a header without a colon: 'broken'"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "a Content-Length of '-1'"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "of '4'"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "a Transfer-Encoding of 'gzip'"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "a chunk size of 'zz'"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "longer than it says"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "closed the connection within"},
      {"HTTP/1.1 200", "closed the connection within an answer"},
      {"HTTP/1.1 200 OK\r\n" + std::string(3 << 20, 'x'), "more than 1048576 bytes of headers"},
  };
  for (const auto& [bytes, why] : cases) {
    const Read got = read(bytes, 4096);
    EXPECT_EQ(got.step, Step::kFailed) << why;
    EXPECT_THAT(got.failure, testing::HasSubstr(why));
  }
  EXPECT_EQ(read("", 1).failure, "the server closed the connection without an answer");
}

}  // namespace
}  // namespace braid
