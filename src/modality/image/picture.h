#pragma once
// Picture: decoded pixels, always four bytes each (red, green, blue, alpha) from the top left, so
// that one kernel resizes every kind. Threads: a value; movable, not copyable.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace braid {

constexpr std::size_t kPixelBytes = 4;

struct Extent {
  std::size_t width = 0;
  std::size_t height = 0;

  std::size_t pixels() const { return width * height; }
  bool operator==(const Extent&) const = default;
};

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

/// ITU-R 601-2 with weights of 16 bits, as Pillow's mode L.
inline std::uint8_t luma(const std::uint8_t* pixel) {
  const unsigned int sum = pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U;
  return static_cast<std::uint8_t>((sum + 0x8000U) >> 16);
}

class Picture {
 public:
  /// The pixels are not set yet: whoever makes a picture writes every row of it, or drops it.
  explicit Picture(Extent extent)
      : extent_(extent),
        bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(extent.pixels() * kPixelBytes +
                                                              kSlack)) {
    for (std::size_t i = 0; i < kSlack; ++i) {
      bytes_[extent.pixels() * kPixelBytes + i] = 0;
    }
  }

  Extent extent() const { return extent_; }
  std::size_t width() const { return extent_.width; }
  std::size_t height() const { return extent_.height; }

  const std::uint8_t* row(std::size_t y) const {
    return bytes_.get() + y * extent_.width * kPixelBytes;
  }
  std::uint8_t* row(std::size_t y) { return bytes_.get() + y * extent_.width * kPixelBytes; }

 private:
  static constexpr std::size_t kSlack = kPixelBytes;  // kernels read pixels in pairs

  Extent extent_;
  std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace braid
