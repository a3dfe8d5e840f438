#pragma once
// Body: the bytes of one message, in a buffer that is never filled with zeros first and that always
// has readable bytes behind its end, since simdjson looks a little past what it is given.
// Threads: a value like any other.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace braid {

class Body {
 public:
  static constexpr std::size_t kPadding = 64;  // readable behind the end

  Body() = default;
  static Body copy_of(Bytes bytes) {
    Body body;
    body.append(bytes);
    return body;
  }
  Body(Body&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Body& operator=(Body&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  Bytes bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_ && data_ != nullptr) {
      return;
    }
    auto larger = std::make_unique_for_overwrite<char[]>(capacity + kPadding);
    if (size_ > 0) {
      std::memcpy(larger.get(), data_.get(), size_);
    }
    data_ = std::move(larger);
    capacity_ = capacity;
    pad();
  }

  void append(Bytes bytes) {
    if (data_ == nullptr || size_ + bytes.size() > capacity_) {
      reserve(std::max(size_ + bytes.size(), capacity_ * 2));
    }
    if (!bytes.empty()) {
      std::memcpy(data_.get() + size_, bytes.data(), bytes.size());
    }
    grow(bytes.size());
  }

  /// Where the next bytes may be written, up to the capacity; grow() then says how many came.
  char* end() { return data_.get() + size_; }
  void grow(std::size_t count) {
    BRAID_CHECK(size_ + count <= capacity_);
    size_ += count;
    pad();
  }

  /// Removes [begin, end).
  void erase(std::size_t begin, std::size_t end) {
    BRAID_CHECK(begin <= end && end <= size_);
    if (begin < end) {
      std::memmove(data_.get() + begin, data_.get() + end, size_ - end);
      size_ -= end - begin;
      pad();
    }
  }

  void clear() { size_ = 0; }
  void release() {
    data_.reset();
    size_ = capacity_ = 0;
  }

 private:
  // Zeros, so that a reader that looks too far sees the same in every run.
  void pad() { std::memset(data_.get() + size_, 0, kPadding); }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace braid
