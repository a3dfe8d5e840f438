#pragma once
// What hostile files are made of: numbers of both byte orders, checksums, and zeros deflated by
// hand, so that a gigabyte of them costs a megabyte and no time. For tests and benchmarks.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "base/file.h"

namespace braid::hostile {

/// A file that the tests of a kind have, below tests/data/modality.
inline std::string shipped(const std::string& file) {
  auto bytes = read_file("tests/data/modality/" + file);
  BRAID_CHECK(bytes.has_value());
  return *std::move(bytes);
}

inline std::string repeated(const std::string& part, std::size_t count) {
  std::string bytes;
  bytes.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes += part;
  }
  return bytes;
}

inline std::string little(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += i < 8 ? static_cast<char>(value >> 8 * i & 0xFF) : '\0';
  }
  return bytes;
}

inline std::string big(std::uint64_t value, int size) {
  std::string bytes = little(value, size);
  std::ranges::reverse(bytes);
  return bytes;
}

/// The checksum of PNG (ISO 3309), bit by bit.
inline std::uint32_t crc32(Bytes bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
    }
  }
  return ~crc;
}

/// The checksum of Ogg pages (RFC 3533, section 6).
inline std::uint32_t ogg_crc(Bytes bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> entries;
    for (std::uint32_t i = 0; i < 256; ++i) {
      entries[i] = i << 24;
      for (int bit = 0; bit < 8; ++bit) {
        entries[i] = entries[i] << 1 ^ ((entries[i] >> 31) != 0 ? 0x04C11DB7 : 0);
      }
    }
    return entries;
  }();
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc = crc << 8 ^ table[(crc >> 24 ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return crc;
}

/// A bit after the other, the lowest of a byte first, as RFC 1951 packs them.
class BitString {
 public:
  void add(std::uint32_t bits, int count) {
    for (int i = 0; i < count; ++i, ++filled_) {
      if (filled_ % 8 == 0) {
        bytes_ += '\0';
      }
      bytes_.back() = static_cast<char>(bytes_.back() | (bits >> i & 1) << filled_ % 8);
    }
  }
  /// `count` zero bits, of which whole bytes come at once.
  void add_zeros(std::size_t count) {
    for (; count > 0 && filled_ % 8 != 0; --count, ++filled_) {
    }
    bytes_.append(count / 8, '\0');
    filled_ += count / 8 * 8;
    add(0, static_cast<int>(count % 8));
  }
  std::string bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t filled_ = 0;  // bits
};

/// What follows the three bits that begin a stored block.
inline std::string stored(const std::string& bytes) {
  return little(bytes.size(), 2) + little(~bytes.size(), 2) + bytes;
}

/// Deflated (RFC 1951): `head`, below 64 KB, then `count` zeros, at least one, 1032 of them in a
/// byte. A code of two bits for a zero, of one bit for "258 times more", of one bit for "of the
/// byte before".
inline std::string zeros_deflated(const std::string& head, std::size_t count) {
  BitString block;
  block.add(0b100, 3);  // not the last, with codes of its own
  block.add(29, 5);     // 286 symbols
  block.add(0, 5);      // one distance
  block.add(14, 4);     // 18 lengths of the code that codes the lengths
  for (const int symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1}) {
    block.add(symbol == 18 ? 1 : symbol == 1 || symbol == 2 ? 2 : 0, 3);
  }
  const auto length = [&](int bits) { block.add(bits == 1 ? 0b01 : 0b11, 2); };
  const auto none = [&](std::uint32_t times) { block.add(0, 1), block.add(times - 11, 7); };
  length(2), none(138), none(117), length(2), none(28), length(1), length(1);
  const std::size_t runs = (count - 1) / 258;
  block.add(0b01, 2);
  block.add_zeros(2 * runs);
  block.add(0b11, 2);
  block.add(0b001, 3);  // the last, stored
  return '\0' + stored(head) + block.bytes() + stored(std::string(count - 1 - 258 * runs, '\0'));
}

}  // namespace braid::hostile
