#include "modality/video/frame_times.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

constexpr double kCoarseSeconds = 0.002;
constexpr double kRoundingSlack = 1e-9;  // of a product of doubles that ought to be whole

/// ⌊x⌋ or the nearest to x = top ÷ bottom ≥ 0.
std::int64_t whole(std::int64_t top, std::int64_t bottom, bool rounds) {
  return rounds ? (2 * top + bottom) / (2 * bottom) : top / bottom;
}

std::vector<std::int64_t> evenly(const ClipClock& clock, const FrameChoice& choice, bool rounds) {
  const auto count = static_cast<std::int64_t>(choice.frames);
  std::vector<std::int64_t> ticks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t offset =
        choice.places == Places::kCentres
            ? whole((2 * i + 1) * (clock.end - clock.first), 2 * count, rounds)
        : count == 1 ? 0
                     : whole(i * (clock.last - clock.first), count - 1, rounds);
    ticks.push_back(clock.first + offset);
  }
  return ticks;
}

std::vector<std::int64_t> at_rate(const ClipClock& clock, const FrameChoice& choice, bool rounds) {
  const double seconds = static_cast<double>(clock.end - clock.first) * clock.seconds;
  const double fitting = std::max(std::ceil(seconds * choice.rate - kRoundingSlack), 1.0);
  const double wanted = choice.frames == 0 ? fitting : static_cast<double>(choice.frames);
  std::vector<std::int64_t> ticks;
  for (double i = 0; i < wanted; ++i) {
    const double offset = std::min(i, fitting - 1) / (choice.rate * clock.seconds);
    ticks.push_back(clock.first +
                    std::llround(std::floor(offset + (rounds ? 0.5 : kRoundingSlack))));
  }
  return ticks;
}

}  // namespace

std::vector<std::int64_t> frame_ticks(const ClipClock& clock, const FrameChoice& choice) {
  const bool rounds = clock.seconds <= kCoarseSeconds;
  return choice.rate > 0 ? at_rate(clock, choice, rounds) : evenly(clock, choice, rounds);
}

}  // namespace braid
