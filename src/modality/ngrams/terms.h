#pragma once
// Terms: a set of texts, each with a number from 0 in the order in which they came. Whoever walks
// over many overlapping texts brings their hashes along.
// Threads: constant functions from any.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

class Terms {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint64_t kSeed = 0xCBF29CE484222325;

  /// FNV-1a's step with a golden-ratio multiplier: the high bits depend on every byte.
  static constexpr std::uint64_t step(std::uint64_t hash, char byte) {
    return (hash ^ static_cast<std::uint8_t>(byte)) * 0x9E3779B97F4A7C15;
  }
  static std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = kSeed;
    for (const char byte : text) {
      hash = step(hash, byte);
    }
    return hash;
  }

  Terms();

  /// `hash` is hash_of(text). The number, or kNone.
  std::uint32_t find(std::uint64_t hash, std::string_view text) const {
    return slots_[slot_of(hash, text)].number;
  }
  /// The number that it has or gets. All texts together have at most 4 GiB.
  std::uint32_t add(std::uint64_t hash, std::string_view text);

  std::string_view operator[](std::uint32_t number) const {
    const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(text_).substr(begin, ends_[number] - begin);
  }
  std::size_t size() const { return ends_.size(); }
  std::size_t text_bytes() const { return text_.size(); }

 private:
  struct Slot {
    std::uint32_t kept = 0;  // bits of the hash that the slot's place does not tell
    std::uint32_t number = kNone;
  };

  /// Where it is, or the empty slot where it would be.
  std::size_t slot_of(std::uint64_t hash, std::string_view text) const;
  void grow();

  std::string text_;
  std::vector<std::uint32_t> ends_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  int shift_ = 0;            // 64 - log2(slots_.size())
};

}  // namespace braid
