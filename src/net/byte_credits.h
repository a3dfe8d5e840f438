#pragma once
// ByteCredits: how many bytes of requests the server holds at once, over all connections and both
// wires. A claim that cannot be had is refused at once: memory is what a full server has least of.
// Threads: ByteCredits from any, a ByteClaim from one at a time.   Life: claims end before credits.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace braid {

class ByteCredits {
 public:
  explicit ByteCredits(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  std::size_t bytes_max() const { return bytes_max_; }
  std::size_t bytes_held() const { return held_.load(std::memory_order_relaxed); }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  friend class ByteClaim;

  // Two that ask at once may both see the sum of both and be refused, though one would have fitted:
  // never the other way round.
  bool take(std::size_t bytes) {
    if (bytes > bytes_max_ ||
        held_.fetch_add(bytes, std::memory_order_relaxed) > bytes_max_ - bytes) {
      if (bytes <= bytes_max_) {
        give(bytes);
      }
      refused_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    return true;
  }
  void give(std::size_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

  const std::size_t bytes_max_;
  std::atomic<std::size_t> held_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
};

/// What one request holds; given back when it ends.
class ByteClaim {
 public:
  /// Null: there is no limit.
  explicit ByteClaim(ByteCredits* credits) : credits_(credits) {}
  ByteClaim(ByteClaim&& other) noexcept
      : credits_(other.credits_), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteClaim& operator=(ByteClaim&& other) noexcept {
    std::swap(credits_, other.credits_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ByteClaim() { release(); }

  /// False when so many more are not to be had; what it holds it keeps.
  bool grow(std::size_t bytes) {
    if (credits_ != nullptr && !credits_->take(bytes)) {
      return false;
    }
    bytes_ += bytes;
    return true;
  }
  void release() {
    if (credits_ != nullptr && bytes_ > 0) {
      credits_->give(bytes_);
    }
    bytes_ = 0;
  }

  /// kExhausted, for whoever was refused.
  Error refusal() const;

 private:
  ByteCredits* credits_;
  std::size_t bytes_ = 0;
};

}  // namespace braid
