#include "modality/image/compose.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace braid {
namespace {

/// Of n ÷ 255, for 0 ≤ n ≤ 255².
std::uint8_t rounded_255th(unsigned int n) {
  n += 128;
  return static_cast<std::uint8_t>((n + (n >> 8)) >> 8);
}

void fill(std::uint8_t* pixels, std::size_t count, Colour colour) {
  const std::uint8_t pixel[kPixelBytes] = {colour[0], colour[1], colour[2], 255};
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(pixels + i * kPixelBytes, pixel, kPixelBytes);
  }
}

}  // namespace

void lay_on(Colour background, Picture& picture) {
  for (std::size_t y = 0; y < picture.height(); ++y) {
    std::uint8_t* pixel = picture.row(y);
    for (std::size_t x = 0; x < picture.width(); ++x, pixel += kPixelBytes) {
      const unsigned int alpha = pixel[3];
      for (std::size_t c = 0; c < background.size(); ++c) {
        pixel[c] = rounded_255th(background[c] * (255 - alpha) + pixel[c] * alpha);
      }
      pixel[3] = 255;
    }
  }
}

Picture padded_to_square(Picture picture, Colour background) {
  const std::size_t side = std::max(picture.width(), picture.height());
  if (picture.extent() == Extent{side, side}) {
    return picture;
  }
  const std::size_t left = (side - picture.width()) / 2;
  const std::size_t top = (side - picture.height()) / 2;
  const std::size_t right = left + picture.width();
  Picture square(Extent{side, side});
  for (std::size_t y = 0; y < side; ++y) {
    std::uint8_t* row = square.row(y);
    if (y < top || y >= top + picture.height()) {
      fill(row, side, background);
      continue;
    }
    fill(row, left, background);
    std::memcpy(row + left * kPixelBytes, picture.row(y - top), picture.width() * kPixelBytes);
    fill(row + right * kPixelBytes, side - right, background);
  }
  return square;
}

void turn_grey(Picture& picture) {
  for (std::size_t y = 0; y < picture.height(); ++y) {
    std::uint8_t* pixel = picture.row(y);
    for (std::size_t x = 0; x < picture.width(); ++x, pixel += kPixelBytes) {
      const std::uint8_t grey = luma(pixel);
      pixel[0] = grey;
      pixel[1] = grey;
      pixel[2] = grey;
    }
  }
}

}  // namespace braid
