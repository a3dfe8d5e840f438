#pragma once
// Intensity: values in the file's units to the numbers that a model was trained on.
// Threads: pure functions.

#include <array>
#include <optional>
#include <span>

namespace braid {

enum class VolumeNormalise {
  kNone,
  kZScore,         // (x − mean) ÷ standard deviation of all values, as numpy's mean() and std()
  kZScoreNonzero,  // likewise of the values that are not 0, which alone are changed
};

struct IntensityOptions {
  /// Values are cut to [low, high] and mapped to window_to.
  std::optional<std::array<double, 2>> window;
  std::array<double, 2> window_to = {0, 1};
  VolumeNormalise normalise = VolumeNormalise::kNone;
  double mean = 0;  // (x − mean) ÷ std, last
  double std = 1;
};

struct IntensityFacts {
  double min = 0;  // these four before anything is changed
  double max = 0;
  double mean = 0;
  double std = 0;
  double clipped = 0;  // share outside the window
};

/// Changes `values`, which are at least one and all finite, in the order of the options.
IntensityFacts apply_intensity(const IntensityOptions& options, std::span<float> values);

}  // namespace braid
