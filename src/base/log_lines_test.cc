#include "base/log_lines.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(LogLines, WritesEachLineAsItIsBeforeItEnds) {
  testing::internal::CaptureStdout();
  {
    LogLines lines;
    lines.write("{\"a\":1}");
    lines.write("%d {} second");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\"a\":1}\n%d {} second\n");
}

TEST(LogLines, MakesNothingBeforeTheFirstLine) {
  testing::internal::CaptureStdout();
  {
    const LogLines lines;
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace braid
