#include "modality/audio/activity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace braid {
namespace {

constexpr double kSilenceDb = -70;
constexpr double kPauseDb = 6;
constexpr double kMarginDb = 10;
constexpr double kRangeDb = 50;
constexpr std::size_t kAround = 5;  // parts kept before and after speech

std::size_t part_samples(std::int64_t rate) {
  return static_cast<std::size_t>(std::max<std::int64_t>(rate / 100, 1));
}

/// Running sums of squares: sums[i] is that of the first i samples.
std::vector<double> square_sums(std::span<const float> samples) {
  std::vector<double> sums(samples.size() + 1);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sums[i + 1] = sums[i] + static_cast<double>(samples[i]) * static_cast<double>(samples[i]);
  }
  return sums;
}

/// Of parts of 25 ms that begin every 10 ms. One walk: what was summed up is kept only where a part
/// begins or ends, since a sum for each sample would take more memory than the sound.
std::vector<double> part_powers(std::span<const float> samples, std::int64_t rate) {
  const std::size_t step = part_samples(rate);
  const std::size_t length = step * 5 / 2;
  std::vector<double> begins;
  std::vector<double> ends;
  double sum = 0;
  std::size_t at = 0;
  const auto square = [&](std::size_t i) {
    return static_cast<double>(samples[i]) * static_cast<double>(samples[i]);
  };
  const auto walk_to = [&](std::size_t place) {
    std::array<double, 4> parts{};  // one alone would wait for itself at every sample
    for (; at + parts.size() <= place; at += parts.size()) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] += square(at + i);
      }
    }
    sum += (parts[0] + parts[1]) + (parts[2] + parts[3]);
    for (; at < place; ++at) {
      sum += square(at);
    }
  };
  for (std::size_t begin = 0; begin < samples.size(); begin += step) {
    while (ends.size() * step + length <= begin) {
      walk_to(ends.size() * step + length);
      ends.push_back(sum);
    }
    walk_to(begin);
    begins.push_back(sum);
  }
  while (ends.size() < begins.size()) {
    walk_to(std::min(ends.size() * step + length, samples.size()));
    ends.push_back(sum);
  }
  std::vector<double> powers;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t size = std::min(length, samples.size() - i * step);
    powers.push_back(std::max(ends[i] - begins[i], 0.0) / static_cast<double>(size));
  }
  return powers;
}

double decibels(double power) { return 10 * std::log10(std::max(power, 1e-12)); }

/// In decibels: above it is speech.
double threshold_of(const std::vector<double>& powers) {
  std::vector<double> sorted = powers;
  const auto tenth = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 10);
  std::ranges::nth_element(sorted, tenth);
  const double quiet = decibels(*tenth);
  const double loud = decibels(*std::ranges::max_element(powers));
  if (loud - quiet < kPauseDb) {
    return kSilenceDb;
  }
  return std::max({quiet + std::min(kMarginDb, (loud - quiet) / 2), loud - kRangeDb, kSilenceDb});
}

}  // namespace

Activity find_activity(std::span<const float> samples, std::int64_t rate) {
  const std::vector<double> powers = part_powers(samples, rate);
  Activity activity;
  if (powers.empty()) {
    return activity;
  }
  const double threshold = std::pow(10, threshold_of(powers) / 10);
  double speech = 0;
  double noise = 0;
  std::size_t speech_count = 0;
  for (const double power : powers) {
    const bool is_speech = power > threshold;
    activity.speech.push_back(is_speech);
    (is_speech ? speech : noise) += power;
    speech_count += is_speech ? 1 : 0;
  }
  const std::size_t noise_count = powers.size() - speech_count;
  activity.speech_share = static_cast<double>(speech_count) / static_cast<double>(powers.size());
  if (speech_count == 0 || noise_count == 0) {
    return activity;
  }
  noise /= static_cast<double>(noise_count);
  speech = std::max(speech / static_cast<double>(speech_count) - noise, 0.0);
  activity.snr_db =
      noise == 0 ? 100 : std::clamp(10 * std::log10(std::max(speech / noise, 1e-9)), -20.0, 100.0);
  return activity;
}

std::vector<float> speech_of(std::span<const float> samples, std::int64_t rate,
                             const Activity& activity) {
  const std::size_t parts = activity.speech.size();
  std::vector<bool> kept(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    if (activity.speech[i]) {
      const std::size_t begin = i < kAround ? 0 : i - kAround;
      std::fill(kept.begin() + static_cast<std::ptrdiff_t>(begin),
                kept.begin() + static_cast<std::ptrdiff_t>(std::min(i + kAround + 1, parts)), true);
    }
  }
  const std::size_t step = part_samples(rate);
  std::vector<float> speech;
  for (std::size_t i = 0; i < parts; ++i) {
    if (kept[i]) {
      const std::size_t begin = i * step;
      const auto part = samples.subspan(begin, std::min(step, samples.size() - begin));
      speech.insert(speech.end(), part.begin(), part.end());
    }
  }
  return speech;
}

std::span<const float> trimmed(std::span<const float> samples, double top_db) {
  constexpr std::size_t kFrame = 2048;  // librosa's defaults, frames centred and padded with zeros
  constexpr std::size_t kHop = 512;
  constexpr double kSquareMin = 1e-10;
  const std::vector<double> sums = square_sums(samples);
  std::vector<double> squares;
  for (std::size_t centre = 0; centre <= samples.size(); centre += kHop) {
    const std::size_t begin = centre < kFrame / 2 ? 0 : centre - kFrame / 2;
    const std::size_t end = std::min(centre + kFrame / 2, samples.size());
    squares.push_back(std::max(sums[end] - sums[begin], 0.0) / kFrame);
  }
  const double loudest = std::max(*std::ranges::max_element(squares), kSquareMin);
  const double least = loudest * std::pow(10, -top_db / 10);
  std::size_t first = squares.size();
  std::size_t last = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (std::max(squares[i], kSquareMin) > least) {
      first = std::min(first, i);
      last = i;
    }
  }
  if (first > last) {
    return {};
  }
  const std::size_t begin = first * kHop;
  return samples.subspan(begin, std::min((last + 1) * kHop, samples.size()) - begin);
}

}  // namespace braid
