#include "modality/audio/lane_fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// |X|² by the definition, in double precision.
std::vector<double> powers_of(const std::vector<float>& samples) {
  std::vector<double> powers;
  const auto size = static_cast<double>(samples.size());
  for (std::size_t k = 0; k <= samples.size() / 2; ++k) {
    double re = 0;
    double im = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double turns = static_cast<double>(k * i % samples.size()) / size;
      re += samples[i] * std::cos(2 * std::numbers::pi * turns);
      im -= samples[i] * std::sin(2 * std::numbers::pi * turns);
    }
    powers.push_back(re * re + im * im);
  }
  return powers;
}

TEST(LaneFft, DoesWhatItSays) {
  for (const std::size_t size : {4, 6, 8, 10, 16, 400, 512, 2048, 65536}) {
    EXPECT_TRUE(LaneFft::can_do(size)) << size;
  }
  for (const std::size_t size : {0, 1, 2, 3, 5, 14, 551, 1102, 131072}) {
    EXPECT_FALSE(LaneFft::can_do(size)) << size;
  }
  EXPECT_EQ(LaneFft::next_size(551), 576U);
  EXPECT_EQ(LaneFft::next_size(400), 400U);
}

// Every radix, alone and in company.
TEST(LaneFft, IsTheTransformOfEachLane) {
  std::mt19937 chance(1);
  std::normal_distribution<float> normal;
  for (const std::size_t size : {4, 6, 8, 10, 12, 18, 30, 50, 64, 100, 128, 240, 400, 450, 512}) {
    std::vector<std::vector<float>> sounds(kLanes, std::vector<float>(size));
    std::vector<Lanes> frames(size);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < size; ++i) {
        sounds[lane][i] = normal(chance) * static_cast<float>(lane);  // the first is silent
        frames[i].v[lane] = sounds[lane][i];
      }
    }
    const LaneFft fft(size);
    std::vector<Lanes> scratch(size);
    std::vector<Lanes> powers(fft.bin_count());
    fft.powers(frames, scratch, powers);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::vector<double> expected = powers_of(sounds[lane]);
      const double largest = *std::ranges::max_element(expected);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_NEAR(powers[k].v[lane], expected[k], 2e-6 * largest)
            << "size " << size << " lane " << lane << " bin " << k;
      }
    }
  }
}

}  // namespace
}  // namespace braid
