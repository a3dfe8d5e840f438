#include "modality/volume/intensity.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

struct Moments {
  double mean = 0;
  double std = 0;
  std::size_t count = 0;
};

/// In two passes, as numpy does: one loses digits where the mean is far from 0.
template <typename Counts>
Moments moments_of(std::span<const float> values, Counts counts) {
  Moments moments;
  double sum = 0;
  for (const float value : values) {
    sum += counts(value) ? static_cast<double>(value) : 0;
    moments.count += counts(value) ? 1 : 0;
  }
  if (moments.count == 0) {
    return moments;
  }
  moments.mean = sum / static_cast<double>(moments.count);
  double squares = 0;
  for (const float value : values) {
    const double distance = counts(value) ? static_cast<double>(value) - moments.mean : 0;
    squares += distance * distance;
  }
  moments.std = std::sqrt(squares / static_cast<double>(moments.count));
  return moments;
}

bool any(float) { return true; }
bool nonzero(float value) { return value != 0; }

/// (x − mean) ÷ std; a volume of one value becomes 0, as in MONAI. What is below the resolution of
/// single precision is rounding of the mean, which would be blown up to 1.
template <typename Counts>
void standardise(std::span<float> values, const Moments& moments, Counts counts) {
  const bool varies = moments.std > 1e-9 * std::abs(moments.mean);
  const double scale = varies ? 1 / moments.std : 1;
  for (float& value : values) {
    if (counts(value)) {
      value = static_cast<float>((static_cast<double>(value) - moments.mean) * scale);
    }
  }
}

/// Returns the share that was cut.
double apply_window(const IntensityOptions& options, std::span<float> values) {
  const auto [low, high] = *options.window;
  const double scale = (options.window_to[1] - options.window_to[0]) / (high - low);
  std::size_t outside = 0;
  for (float& value : values) {
    const double before = value;
    outside += before < low || before > high ? 1 : 0;
    value =
        static_cast<float>((std::clamp(before, low, high) - low) * scale + options.window_to[0]);
  }
  return static_cast<double>(outside) / static_cast<double>(values.size());
}

}  // namespace

IntensityFacts apply_intensity(const IntensityOptions& options, std::span<float> values) {
  const auto [min, max] = std::ranges::minmax(values);
  const Moments before = moments_of(values, any);
  IntensityFacts facts{min, max, before.mean, before.std, 0};
  if (options.window.has_value()) {
    facts.clipped = apply_window(options, values);
  }
  if (options.normalise == VolumeNormalise::kZScore) {
    standardise(values, options.window.has_value() ? moments_of(values, any) : before, any);
  } else if (options.normalise == VolumeNormalise::kZScoreNonzero) {
    standardise(values, moments_of(values, nonzero), nonzero);
  }
  if (options.mean != 0 || options.std != 1) {
    for (float& value : values) {
      value = static_cast<float>((static_cast<double>(value) - options.mean) / options.std);
    }
  }
  return facts;
}

}  // namespace braid
