#include "modality/video/frame_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using Ticks = std::vector<std::int64_t>;

constexpr ClipClock kCounted = {0.04, 0, 74, 75};                 // 75 frames, a tick each
constexpr ClipClock kFine = {1.0 / 90000, 9000, 275400, 279000};  // the same, 0.1 s late

// numpy.linspace(0, 74, 16).astype(int)
TEST(FrameTimes, SpreadsAsNumpysLinspace) {
  const Ticks expected = {0, 4, 9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59, 64, 69, 74};
  EXPECT_EQ(frame_ticks(kCounted, {.frames = 16}), expected);
  Ticks shown;
  for (const std::int64_t tick : frame_ticks(kFine, {.frames = 16})) {
    shown.push_back((tick - 9000) / 3600);
  }
  EXPECT_EQ(shown, expected);
}

TEST(FrameTimes, TakesTheMiddlesOfEqualParts) {
  EXPECT_THAT(frame_ticks(kCounted, {.frames = 3, .places = Places::kCentres}),
              ElementsAre(12, 37, 62));
  EXPECT_THAT(frame_ticks(kCounted, {.frames = 1, .places = Places::kCentres}), ElementsAre(37));
  EXPECT_THAT(frame_ticks(kCounted, {.frames = 1}), ElementsAre(0));
}

TEST(FrameTimes, FollowsARate) {
  EXPECT_THAT(frame_ticks(kCounted, {.rate = 2}), ElementsAre(0, 12, 25, 37, 50, 62));
  EXPECT_THAT(frame_ticks({0.04, 0, 4, 5}, {.rate = 25}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(frame_ticks({0.04, 0, 4, 5}, {.rate = 50}),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(FrameTimes, CutsAndRepeatsToANumber) {
  EXPECT_THAT(frame_ticks(kCounted, {.frames = 2, .rate = 2}), ElementsAre(0, 12));
  EXPECT_THAT(frame_ticks(kCounted, {.frames = 8, .rate = 2}),
              ElementsAre(0, 12, 25, 37, 50, 62, 62, 62));
}

// Matroska rounds 1/30 s to 33, 67 and 100 ms: at 66 the second frame would be shown twice.
TEST(FrameTimes, MeetsFramesWhoseTimesAreRounded) {
  EXPECT_THAT(frame_ticks({0.001, 0, 133, 167}, {.rate = 30}),
              ElementsAre(0, 33, 67, 100, 133, 167));
}

TEST(FrameTimes, TakesTheOnlyFrame) {
  EXPECT_THAT(frame_ticks({0.04, 7, 7, 7}, {.frames = 3}), ElementsAre(7, 7, 7));
  EXPECT_THAT(frame_ticks({0.04, 7, 7, 7}, {.rate = 5}), ElementsAre(7));
}

}  // namespace
}  // namespace braid
