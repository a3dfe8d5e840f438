#include "net/access_log.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"

namespace braid {
namespace {

AccessEntry entry() {
  return {.wire = "http",
          .call = "infer",
          .id = "a-1",
          .name = "mlp",
          .peer = "127.0.0.1:4242",
          .status = 200,
          .bytes_in = 12,
          .bytes_out = 34};
}

// 1700000000 is 2023-11-14 22:13:20 UTC (date -u -d @1700000000).
TEST(AccessLog, WritesOneLineInTwoForms) {
  EXPECT_EQ(access_text(entry(), 1700000000123, 1.5),
            "2023-11-14T22:13:20.123Z id=a-1 wire=http call=infer name=mlp status=200 ms=1.500 "
            "in=12 out=34 peer=127.0.0.1:4242");
  EXPECT_EQ(access_json(entry(), 1700000000123, 1.5),
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"id\":\"a-1\",\"wire\":\"http\",\"call\":"
            "\"infer\",\"name\":\"mlp\",\"status\":200,\"ms\":1.500,\"in\":12,\"out\":34,\"peer\":"
            "\"127.0.0.1:4242\"}");
}

// A client's id must not make a second line or another field.
TEST(AccessLog, QuotesWhatClientsChose) {
  AccessEntry hostile = entry();
  hostile.id = "x status=200\n\"\xff" + std::string(500, 'y');
  hostile.name = "";
  const std::string text = access_text(hostile, 0, 0);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("id=\"x status=200\\"), std::string::npos);
  EXPECT_NE(text.find(" name=- "), std::string::npos);
  EXPECT_LT(text.size(), 400U);
  EXPECT_TRUE(Json::parse(access_json(hostile, 0, 0)).has_value());
}

TEST(AccessLog, TakesOnlyVisibleShortRequestIds) {
  EXPECT_EQ(usable_request_id("0193-abc"), "0193-abc");
  EXPECT_FALSE(usable_request_id("").has_value());
  EXPECT_FALSE(usable_request_id("a b").has_value());
  EXPECT_FALSE(usable_request_id("a\x01").has_value());
  EXPECT_FALSE(usable_request_id("\xc3\xa4").has_value());
  EXPECT_FALSE(usable_request_id(std::string(129, 'a')).has_value());
}

TEST(AccessLog, GivesAnIdToARequestWithoutOne) {
  const ManualClock clock;
  std::vector<std::string> lines;
  const AccessLog log(
      AccessLog::Format::kJson, true, [&](std::string_view line) { lines.emplace_back(line); },
      clock);
  AccessEntry without = entry();
  without.id.clear();
  log.write(without);
  EXPECT_EQ(without.id.size(), 36U);  // a UUID
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(*Json::parse(lines[0])->find("id")->text(), without.id);
}

}  // namespace
}  // namespace braid
