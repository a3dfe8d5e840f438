#include "base/task.h"

#include <memory>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(MoveFunction, HoldsWhatCanOnlyBeMoved) {
  auto owned = std::make_unique<int>(41);
  MoveFunction<int(int)> add = [owned = std::move(owned)](int more) { return *owned + more; };
  MoveFunction<int(int)> moved = std::move(add);
  EXPECT_EQ(moved(1), 42);
  EXPECT_FALSE(static_cast<bool>(add));  // NOLINT(bugprone-use-after-move): that is the promise
}

TEST(MoveFunction, PassesMoveOnlyArgumentsAndReferences) {
  MoveFunction<std::unique_ptr<int>(std::unique_ptr<int>, int&)> bump =
      [](std::unique_ptr<int> given, int& count) {
        ++count;
        return given;
      };
  int count = 0;
  EXPECT_EQ(*bump(std::make_unique<int>(7), count), 7);
  EXPECT_EQ(count, 1);
}

TEST(MoveFunction, KeepsStateBetweenCalls) {
  MoveFunction<int()> next = [count = 0]() mutable { return ++count; };
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 2);
}

TEST(MoveFunctionDeathTest, AnEmptyOneIsABrokenPromise) {
  Task empty;
  EXPECT_FALSE(static_cast<bool>(empty));
  EXPECT_DEATH(empty(), "broken promise");
}

}  // namespace
}  // namespace braid
