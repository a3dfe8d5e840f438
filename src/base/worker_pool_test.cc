#include "base/worker_pool.h"

#include <array>
#include <atomic>

#include <gtest/gtest.h>
#include <pthread.h>

namespace braid {
namespace {

TEST(WorkerPool, RunsEveryTaskBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.thread_count = 3});
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(pool.add([&] { ++ran; }).has_value());
    }
  }
  EXPECT_EQ(ran, 1000);
}

TEST(WorkerPool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  {
    WorkerPool pool({.thread_count = 1});
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(pool.add([&order, i] { order.push_back(i); }).has_value());
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(WorkerPool, RefusesWhenFullAndAfterDraining) {
  WorkerPool pool({.thread_count = 0, .queue_max = 2});  // nobody takes what waits
  EXPECT_TRUE(pool.add([] {}).has_value());
  EXPECT_TRUE(pool.add([] {}).has_value());
  EXPECT_EQ(pool.add([] {}).error().code, Code::kExhausted);
  pool.drain();
  EXPECT_EQ(pool.add([] {}).error().code, Code::kUnavailable);
}

TEST(WorkerPool, ATaskMayAddAnother) {
  std::atomic<bool> ran = false;
  {
    WorkerPool pool({.thread_count = 1});
    ASSERT_TRUE(
        pool.add([&] { ASSERT_TRUE(pool.add([&] { ran = true; }).has_value()); }).has_value());
    while (!ran) {
      std::this_thread::yield();
    }
  }
  EXPECT_TRUE(ran);
}

TEST(WorkerPool, ItsThreadsHaveNames) {
  std::array<char, 16> name{};
  {
    WorkerPool pool({.name = "encoders-of-braid", .thread_count = 1});
    ASSERT_TRUE(pool.add([&] { pthread_getname_np(pthread_self(), name.data(), name.size()); })
                    .has_value());
  }
  EXPECT_STREQ(name.data(), "encoders-of-bra");  // Linux keeps 15 characters
}

}  // namespace
}  // namespace braid
