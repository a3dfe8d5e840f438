#include "serve/request.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(CancelFlag, OneBelowAnotherIsCancelledWithItButNotTheOtherWayRound) {
  const CancelFlag client;
  const CancelFlag first = client.below();
  const CancelFlag second = client.below();
  first.cancel();
  EXPECT_TRUE(first.cancelled());
  EXPECT_FALSE(client.cancelled());
  EXPECT_FALSE(second.cancelled());
  client.cancel();
  EXPECT_TRUE(second.cancelled());
}

TEST(Reply, DestroyedUnansweredItAnswersAnInternalError) {
  Code code = Code::kNotFound;
  {
    const Reply reply([&](Result<Decision> answer) { code = answer.error().code; });
  }
  EXPECT_EQ(code, Code::kInternal);
}

}  // namespace
}  // namespace braid
