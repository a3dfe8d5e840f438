#pragma once
// Calibration: whether a confidence of 0.8 is right in eight of ten cases.
//
// Expected calibration error = Σ over bins of (share of cases) · |accuracy − mean confidence|. On
// few cases chance alone makes it large: a perfectly calibrated model shows .037 at 752 cases and
// .076 at 179, so it is debiased and told together with the band of a perfect model.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/answer.h"

namespace braid {

struct Confidence {
  double confidence = 0;  // in [0, 1]
  bool correct = false;
};

std::vector<Confidence> confidences(Answers answers);

enum class Bins { kEqualMass, kEqualWidth };

struct CalibrationOptions {
  Bins bins = Bins::kEqualMass;  // with equal width most cases fall into the last bin
  std::size_t bin_count = 15;
  /// Takes off what chance adds: for each bin E|d + e| − |d|, where d is the difference seen and e
  /// is normal with the variance of the bin's accuracy: the approximation in the library of Kumar,
  /// Liang and Ma 2019 (Verified Uncertainty Calibration), here in closed form. Not below 0.
  bool debias = true;
};

/// In [0, 1]. At least one case. Bin k of B of equal mass ends at case ⌈(k + 1) · n ÷ B⌉; cases of
/// equal confidence stay together, so that their order does not matter.
double expected_calibration_error(std::span<const Confidence> cases,
                                  const CalibrationOptions& options = {});

/// The error that 95 % of perfectly calibrated models with these very confidences stay below.
double perfect_calibration_limit(std::span<const Confidence> cases, std::uint64_t seed,
                                 const CalibrationOptions& options = {},
                                 std::size_t draw_count = 1000);

}  // namespace braid
