#include "modality/audio/ogg_pages.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kHead = 27;      // bytes before the table of segments
constexpr std::size_t kCrc = 22;       // where the checksum stands
constexpr std::size_t kSegments = 26;  // where their number stands
constexpr std::uint32_t kPolynomial = 0x04c11db7;

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i << 24;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x80000000U) != 0 ? (crc << 1) ^ kPolynomial : crc << 1;
    }
    table[i] = crc;
  }
  return table;
}();

std::uint8_t byte_at(Bytes bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

/// Of the page with its own checksum taken as zero.
std::uint32_t checksum(Bytes page) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool is_own = i >= kCrc && i < kCrc + 4;
    const std::uint32_t byte = is_own ? 0U : byte_at(page, i);
    crc = (crc << 8) ^ kTable[((crc >> 24) ^ byte) & 0xffU];
  }
  return crc;
}

Error damaged(std::size_t page, const char* how) {
  return Error{Code::kInvalidArgument, fmt::format("page {} of the OGG is {}", page, how)};
}

/// 0 when the page is not whole.
std::size_t page_size(Bytes bytes) {
  if (bytes.size() < kHead || bytes.size() < kHead + byte_at(bytes, kSegments)) {
    return 0;
  }
  std::size_t size = kHead + byte_at(bytes, kSegments);
  for (std::size_t i = 0; i < byte_at(bytes, kSegments); ++i) {
    size += byte_at(bytes, kHead + i);
  }
  return size <= bytes.size() ? size : 0;
}

}  // namespace

Result<void> check_ogg_pages(Bytes bytes) {
  for (std::size_t page = 0; !bytes.empty(); ++page) {
    if (!bytes.starts_with("OggS")) {
      return damaged(page, "none: other bytes follow");
    }
    const std::size_t size = page_size(bytes);
    if (size == 0) {
      return damaged(page, "cut short");
    }
    std::uint32_t said = 0;
    for (std::size_t i = 4; i-- > 0;) {
      said = (said << 8) | byte_at(bytes, kCrc + i);
    }
    if (said != checksum(bytes.substr(0, size))) {
      return damaged(page, "damaged: its checksum is wrong");
    }
    bytes.remove_prefix(size);
  }
  return {};
}

}  // namespace braid
