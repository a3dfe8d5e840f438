#include "modality/image/framing.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr std::int64_t kPixelsMax = 1'000'000;

Framed crop(Extent from, std::size_t resize_to, Extent size) {
  return *framed(from, {Fit::kCrop, size, resize_to}, kPixelsMax);
}

TEST(Framing, StretchesBothSides) {
  const Framed frame = *framed({640, 480}, {Fit::kStretch, {224, 100}}, kPixelsMax);
  EXPECT_EQ(frame.resized, (Extent{224, 100}));
  EXPECT_EQ(frame.window, (Window{0, 0, {224, 100}}));
}

// torchvision: new_long = int(size * long / short).
TEST(Framing, CutsTheLongerSideDown) {
  const auto resized = [](Extent from) {
    return framed(from, {Fit::kShorterSide, {}, 256}, kPixelsMax)->resized;
  };
  EXPECT_EQ(resized({640, 427}), (Extent{383, 256}));  // 383.7
  EXPECT_EQ(resized({427, 640}), (Extent{256, 383}));
  EXPECT_EQ(resized({500, 500}), (Extent{256, 256}));
}

// torchvision: top = int(round((height - crop) / 2.0)), and Python rounds halves to even.
TEST(Framing, CropsTheCentreWithHalvesToEven) {
  EXPECT_EQ(crop({640, 427}, 256, {224, 224}).window, (Window{80, 16, {224, 224}}));  // 79.5, 16
  EXPECT_EQ(crop({16, 16}, 16, {11, 13}).window, (Window{2, 2, {11, 13}}));           // 2.5, 1.5
  EXPECT_EQ(crop({16, 16}, 16, {9, 16}).window, (Window{4, 0, {9, 16}}));             // 3.5, 0
}

TEST(Framing, LimitsTheLongerSideButNotWhatACropLeavesOut) {
  const Extent thread = {1, 60'000};
  EXPECT_EQ(framed(thread, {Fit::kShorterSide, {}, 100}, kPixelsMax).error().code,
            Code::kExhausted);
  EXPECT_EQ(crop(thread, 100, {100, 50}).window, (Window{0, 2'999'975, {100, 50}}));
}

}  // namespace
}  // namespace braid
