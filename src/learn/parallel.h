#pragma once
// Runs independent pieces of one job on a few threads and waits for all of them.

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace braid {

/// Calls work(index) for each index below `count`, on at most `thread_count` threads with the
/// calling one among them, in no certain order: each must write to a place of its own.
inline void run_parallel(std::size_t count, std::size_t thread_count,
                         const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      work(index);
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < thread_count && i < count; ++i) {
    others.emplace_back(take);
  }
  take();
}

}  // namespace braid
