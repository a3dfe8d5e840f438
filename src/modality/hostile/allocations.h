#pragma once
// Allocations: how much memory the process holds beyond what it held when counting began, at most;
// malloc and new alike, modules too. The sanitizer's allocator tells; a build without one counts 0.
// For tests. Threads: allocations of all are counted; one Allocations at a time.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

// Of sanitizer/allocator_interface.h, which g++ does not ship. What is const here is also volatile
// there; C's linkage does not tell.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(bugprone-reserved-identifier)
    void (*on_malloc)(const void*, std::size_t), void (*on_free)(const void*))
    __attribute__((weak));
extern "C" std::size_t __sanitizer_get_allocated_size(  // NOLINT(bugprone-reserved-identifier)
    const void* begin) __attribute__((weak));

namespace braid::hostile {

class Allocations {
 public:
  Allocations() {
    if (__sanitizer_install_malloc_and_free_hooks == nullptr) {
      return;
    }
    static const int installed = __sanitizer_install_malloc_and_free_hooks(added, removed);
    static_cast<void>(installed);
    held_ = most_ = 0;
    counting_ = true;
  }
  ~Allocations() { counting_ = false; }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  /// In bytes, so far.
  std::size_t held_max() const { return static_cast<std::size_t>(most_.load()); }

 private:
  static void added(const void* /*begin*/, std::size_t size) {
    if (counting_) {
      const std::int64_t held = held_ += static_cast<std::int64_t>(size);
      most_ = std::max(most_.load(), held);
    }
  }
  static void removed(const void* begin) {
    if (counting_ && begin != nullptr) {
      held_ -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(begin));
    }
  }

  static inline std::atomic<bool> counting_ = false;
  static inline std::atomic<std::int64_t> held_ = 0;
  static inline std::atomic<std::int64_t> most_ = 0;
};

}  // namespace braid::hostile
