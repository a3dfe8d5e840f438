#include "apps/frame_strip.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

// Five frames of 2 × 2 pixels; frame t is t everywhere in red, the other colours are 0.
std::vector<double> frames(std::size_t step_frame, std::size_t step_row, std::size_t step_pixel) {
  std::vector<double> numbers(5 * 4 * 3);
  for (std::size_t t = 0; t < 5; ++t) {
    for (std::size_t pixel = 0; pixel < 4; ++pixel) {
      numbers[t * step_frame + pixel / 2 * step_row + pixel % 2 * step_pixel] =
          static_cast<double>(t);
    }
  }
  return numbers;
}

void expect_strip(const Shape& shape, const std::vector<double>& numbers) {
  const auto strip = frame_strip(shape, numbers);
  ASSERT_TRUE(strip.has_value());
  EXPECT_EQ(strip->title, "frames 0, 1, 2, 4 of 5");
  EXPECT_EQ(strip->picture.extent(), (Extent{8, 2}));
  const int red[] = {0, 0, 64, 64, 128, 128, 255, 255};
  for (std::size_t x = 0; x < 8; ++x) {
    EXPECT_EQ(strip->picture.row(0)[x * kPixelBytes], red[x]) << x;
    EXPECT_EQ(strip->picture.row(0)[x * kPixelBytes + 1], 0) << x;
  }
}

TEST(FrameStrip, ShowsFramesInEachLayout) {
  expect_strip({1, 5, 3, 2, 2}, frames(12, 2, 1));
  expect_strip({1, 5, 2, 2, 3}, frames(12, 6, 3));
  expect_strip({1, 3, 5, 2, 2}, frames(4, 2, 1));
}

TEST(FrameStrip, HasNothingForOtherShapes) {
  EXPECT_FALSE(frame_strip({1, 5, 4, 2, 2}, std::vector<double>(80)).has_value());
  EXPECT_FALSE(frame_strip({1, 3, 4, 4}, std::vector<double>(48)).has_value());
}

}  // namespace
}  // namespace braid
