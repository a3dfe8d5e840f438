#include "base/published.h"

#include <thread>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Published, AReaderKeepsWhatItTook) {
  Published<int> published(std::make_shared<const int>(1));
  const auto taken = published.get();
  const auto replaced = published.publish(std::make_shared<const int>(2));
  EXPECT_EQ(*taken, 1);
  EXPECT_EQ(replaced, taken);
  EXPECT_EQ(*published.get(), 2);
}

// Under TSan this is silent, where std::atomic<std::shared_ptr> of g++ 12 is not.
TEST(Published, ReadersSeeWholeValuesOnly) {
  struct Pair {
    int first = 0;
    int second = 0;
  };
  Published<Pair> published(std::make_shared<const Pair>());
  std::thread writer([&] {
    for (int i = 1; i <= 2000; ++i) {
      published.publish(std::make_shared<const Pair>(Pair{i, -i}));
    }
  });
  int sum = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto seen = published.get();
    sum += seen->first + seen->second;
  }
  writer.join();
  EXPECT_EQ(sum, 0);
}

}  // namespace
}  // namespace braid
