#include "net/byte_credits.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(ByteCredits, RefuseBeyondTheLimitAndComeBack) {
  ByteCredits credits(100);
  ByteClaim first(&credits);
  EXPECT_TRUE(first.grow(60));
  {
    ByteClaim second(&credits);
    EXPECT_FALSE(second.grow(41));
    EXPECT_TRUE(second.grow(40));
    EXPECT_FALSE(second.grow(1));
    EXPECT_THAT(second.refusal().message, testing::HasSubstr("100 bytes"));
  }
  EXPECT_EQ(credits.bytes_held(), 60U);
  ByteClaim moved = std::move(first);
  EXPECT_EQ(credits.bytes_held(), 60U);
  moved.release();
  EXPECT_EQ(credits.bytes_held(), 0U);
  EXPECT_EQ(credits.refused(), 2U);
}

TEST(ByteCredits, AreNotFooledByEnormousClaims) {
  ByteCredits credits(100);
  ByteClaim claim(&credits);
  EXPECT_TRUE(claim.grow(1));
  EXPECT_FALSE(claim.grow(SIZE_MAX));
  EXPECT_FALSE(claim.grow(SIZE_MAX - 1));
  EXPECT_EQ(credits.bytes_held(), 1U);
}

TEST(ByteCredits, NullIsNoLimit) {
  ByteClaim claim(nullptr);
  EXPECT_TRUE(claim.grow(std::size_t{1} << 60));
}

TEST(ByteCredits, NeverHoldMoreThanTheLimitWhoeverAsks) {
  ByteCredits credits(1000);
  std::atomic<std::size_t> granted = 0;
  std::atomic<bool> too_many = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 2000; ++turn) {
        ByteClaim claim(&credits);
        if (claim.grow(400)) {
          too_many = too_many || granted.fetch_add(400) + 400 > 1000;
          granted.fetch_sub(400);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(too_many);
  EXPECT_EQ(credits.bytes_held(), 0U);
}

}  // namespace
}  // namespace braid
