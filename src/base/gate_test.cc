#include "base/gate.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

TEST(Gate, LetsNobodyInOnceItIsClosed) {
  const ManualClock clock;
  Gate gate;
  EXPECT_TRUE(gate.enter().has_value());
  EXPECT_TRUE(gate.close(clock));
  EXPECT_FALSE(gate.enter().has_value());
}

TEST(Gate, CloseWaitsForTheLastOneInside) {
  const SystemClock clock;
  Gate gate;
  std::atomic<bool> left = false;
  std::thread worker;
  {
    auto pass = gate.enter();
    worker = std::thread([&left, pass = std::move(pass)]() mutable {
      left = true;
      pass.reset();
    });
  }
  EXPECT_TRUE(gate.close(clock));
  EXPECT_TRUE(left);
  worker.join();
}

TEST(Gate, CloseGivesUpAtItsTime) {
  ManualClock clock;
  Gate gate;
  const auto pass = gate.enter();
  clock.advance(1h);
  EXPECT_FALSE(gate.close(clock, clock.now()));
  EXPECT_EQ(gate.inside(), 1U);
}

// A pass that is moved is still one pass.
TEST(Gate, AMovedPassLeavesOnce) {
  Gate gate;
  {
    auto first = *gate.enter();
    auto second = std::move(first);
    auto third = *gate.enter();
    third = std::move(second);
    EXPECT_GE(gate.inside(), 1U);
  }
  EXPECT_EQ(gate.inside(), 0U);
}

TEST(Gate, CountsManyAtOnce) {
  const SystemClock clock;
  Gate gate;
  std::vector<std::thread> threads;
  std::atomic<int> entered = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        entered += gate.enter().has_value() ? 1 : 0;
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(entered, 2000);
  EXPECT_TRUE(gate.close(clock));
}

}  // namespace
}  // namespace braid
