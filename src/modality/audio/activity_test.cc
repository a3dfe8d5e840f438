#include "modality/audio/activity.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr std::int64_t kRate = 8000;

/// Half a second of noise, half a second of a tone in it, and so on.
std::vector<float> bursts(double tone, double noise, std::size_t seconds = 4) {
  std::mt19937 chance(3);
  std::normal_distribution<double> normal(0, 1);
  std::vector<float> samples(seconds * kRate);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_on = i / (kRate / 2) % 2 == 1;
    const double phase = 2 * std::numbers::pi * 440 * static_cast<double>(i) / kRate;
    samples[i] = static_cast<float>(noise * normal(chance) + (is_on ? tone * std::sin(phase) : 0));
  }
  return samples;
}

// A tone of amplitude a has the power a² ÷ 2, noise of deviation s the power s².
TEST(Activity, FindsTheRatioOfSpeechToNoise) {
  for (const double expected : {10.0, 20.0, 40.0}) {
    const double noise = 0.3 / std::sqrt(2.0) * std::pow(10, -expected / 20);
    const Activity activity = find_activity(bursts(0.3, noise), kRate);
    EXPECT_NEAR(activity.snr_db, expected, 1.5);
    EXPECT_NEAR(activity.speech_share, 0.5, 0.03);
  }
}

TEST(Activity, KnowsSilenceAndASoundWithoutPauses) {
  const std::vector<float> silence(kRate, 0.0F);
  EXPECT_EQ(find_activity(silence, kRate).speech_share, 0);
  EXPECT_EQ(find_activity(silence, kRate).snr_db, 0);
  const std::vector<float> hum(kRate, 0.1F);
  EXPECT_EQ(find_activity(hum, kRate).speech_share, 1);
  EXPECT_EQ(find_activity(hum, kRate).snr_db, 0);
  EXPECT_EQ(find_activity(std::vector<float>{0.5F}, kRate).speech_share, 1);
}

TEST(Activity, SaysAHundredDecibelsWithoutNoise) {
  EXPECT_EQ(find_activity(bursts(0.3, 0), kRate).snr_db, 100);
}

// Two bursts of half a second remain, each with at most 75 ms around it.
TEST(Activity, KeepsSpeechAndALittleAround) {
  const std::vector<float> samples = bursts(0.3, 0.001, 2);
  const auto speech = speech_of(samples, kRate, find_activity(samples, kRate));
  EXPECT_GE(speech.size(), 2 * 4000U + 3 * 400U);
  EXPECT_LE(speech.size(), 2 * (4000U + 2 * 600U));
  const std::vector<float> silence(kRate, 0.0F);
  EXPECT_TRUE(speech_of(silence, kRate, find_activity(silence, kRate)).empty());
}

// As librosa: a silence through and through is as loud as its loudest part, so it stays.
TEST(Activity, TrimsNoSilenceWithoutSound) {
  const std::vector<float> silence(kRate, 0.0F);
  EXPECT_EQ(trimmed(silence, 60).size(), silence.size());
}

}  // namespace
}  // namespace braid
