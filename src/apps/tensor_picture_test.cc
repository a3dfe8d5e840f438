#include "apps/tensor_picture.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "apps/tensor_numbers.h"

namespace braid {
namespace {

std::vector<int> greys(const Picture& picture) {
  std::vector<int> greys;
  for (std::size_t y = 0; y < picture.height(); ++y) {
    for (std::size_t x = 0; x < picture.width(); ++x) {
      greys.push_back(picture.row(y)[x * kPixelBytes]);
    }
  }
  return greys;
}

// Mean and standard deviation by hand: 1, 2, 3, 6 have mean 3 and variance (4 + 1 + 0 + 9) / 4.
TEST(TensorNumbers, CountWhatIsNoNumberApart) {
  const NumberFacts facts = facts_of({1, 2, NAN, 3, 6});
  EXPECT_EQ(facts.min, 1);
  EXPECT_EQ(facts.max, 6);
  EXPECT_DOUBLE_EQ(facts.mean, 3);
  EXPECT_DOUBLE_EQ(facts.std, std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(facts.nan_share, 0.2);
  EXPECT_EQ(facts_of({NAN}).nan_share, 1);
}

TEST(TensorNumbers, AreReadInEveryTypeThatHasSome) {
  for (const DType dtype :
       {DType::kBool, DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64, DType::kInt8,
        DType::kInt16, DType::kInt32, DType::kInt64, DType::kFp32, DType::kFp64}) {
    const Tensor tensor = *Tensor::zeros(dtype, Shape{1, 3});
    EXPECT_EQ(numbers_of(tensor.view()), (std::vector<double>{0, 0, 0})) << to_string(dtype);
  }
  EXPECT_FALSE(numbers_of(Tensor::zeros(DType::kBytes, Shape{1, 3})->view()).has_value());
  EXPECT_FALSE(numbers_of(Tensor::zeros(DType::kFp16, Shape{1, 3})->view()).has_value());
}

TEST(TensorPicture, StretchesFromBlackToWhite) {
  const auto shown = picture_of({1, 1, 2, 2}, {-1, 0, 1, std::numeric_limits<double>::infinity()});
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(greys(shown->picture), (std::vector<int>{0, 128, 255, 255}));
  EXPECT_EQ(greys(picture_of({1, 1, 1, 2}, {7, 7})->picture), (std::vector<int>{0, 0}));
}

TEST(TensorPicture, ShowsNanInRed) {
  const auto shown = picture_of({1, 1, 1, 2}, {0, NAN});
  const std::uint8_t* pixel = shown->picture.row(0) + kPixelBytes;
  EXPECT_EQ(pixel[0], 255);
  EXPECT_EQ(pixel[1], 0);
}

// Two pixels, (0, 1, 2) and (3, 4, 5), in both layouts.
TEST(TensorPicture, ShowsColoursInBothLayouts) {
  const auto planes = picture_of({1, 3, 1, 2}, {0, 3, 1, 4, 2, 5});
  const auto pixels = picture_of({1, 1, 2, 3}, {0, 1, 2, 3, 4, 5});
  for (const auto* shown : {&planes, &pixels}) {
    ASSERT_TRUE(shown->has_value());
    const std::uint8_t* row = (*shown)->picture.row(0);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(row[i / 3 * kPixelBytes + i % 3], 51 * i);
    }
  }
}

// depth 2, height 1, width 3, values 0 … 5: the middle of depth is plane 1, of width column 1.
TEST(TensorPicture, ShowsThreeSlicesOfAVolume) {
  const auto shown = picture_of({1, 1, 2, 1, 3}, {0, 1, 2, 3, 4, 5});
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->picture.extent(), (Extent{3 + 2 + 3 + 2 + 1, 2}));
  EXPECT_EQ(greys(shown->picture),
            (std::vector<int>{153, 204, 255, 0, 0, 0,   51,  102, 0, 0, 51,  //
                              0,   0,   0,   0, 0, 153, 204, 255, 0, 0, 204}));
}

TEST(TensorPicture, HasNoneOfAFewNumbers) {
  EXPECT_FALSE(picture_of({1, 4}, {1, 2, 3, 4}).has_value());
  EXPECT_FALSE(picture_of({1, 2, 3}, {1, 2, 3, 4, 5, 6}).has_value());
}

TEST(TensorPicture, DrawsACurveFromTopToBottom) {
  std::vector<double> ramp(256);
  for (std::size_t i = 0; i < ramp.size(); ++i) {
    ramp[i] = static_cast<double>(i);
  }
  const auto shown = picture_of({1, 256}, ramp);
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->picture.row(shown->picture.height() - 1)[0], 255);  // low on the left
  EXPECT_EQ(shown->picture.row(0)[255 * kPixelBytes], 255);            // high on the right
  EXPECT_EQ(shown->picture.row(0)[0], 0);
}

TEST(TensorPicture, ShrinksToFitAndKeepsTheAspect) {
  EXPECT_EQ(shrunk(Picture({100, 50}), 20, 30).extent(), (Extent{20, 10}));
  EXPECT_EQ(shrunk(Picture({10, 5}), 20, 30).extent(), (Extent{10, 5}));
  EXPECT_EQ(shrunk(Picture({1000, 1}), 20, 30).extent(), (Extent{20, 1}));
}

TEST(TensorPicture, IsBlocksOrColoursInText) {
  const auto image = picture_of({1, 1, 3, 1}, {0, 0.5, 1});
  EXPECT_EQ(in_text(image->picture, false), "░\n█\n");  // (0 + 128) / 2, and the last row twice
  EXPECT_EQ(in_text(picture_of({1, 1, 1, 1}, {3})->picture, true),
            "\x1b[38;2;0;0;0m\x1b[48;2;0;0;0m▀\x1b[0m\n");
}

}  // namespace
}  // namespace braid
