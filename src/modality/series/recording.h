#pragma once
// Recording: sampled values of several channels with the times at which they were taken.
// Threads: a value.

#include <cstddef>
#include <limits>
#include <vector>

namespace braid {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

struct Recording {
  std::vector<double> times;                  // seconds, never falling
  std::vector<std::vector<double>> channels;  // each as long as `times`; NaN is a gap

  std::size_t size() const { return times.size(); }
};

}  // namespace braid
