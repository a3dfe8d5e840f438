#pragma once
// LatencyHistogram: millions of durations in 270 KB, each kept to one part in 2000. Below 2 µs
// every nanosecond has a bucket of its own, above that each power of two has 1024. Threads: one at
// a time; each thread of a load has its own, merged at the end.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace braid {

class LatencyHistogram {
 public:
  LatencyHistogram();

  /// Negative ones count as 0, those above 73 minutes as 73 minutes.
  void add(Duration duration);
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  /// Nearest rank: the smallest duration that at least `fraction` of all do not exceed. 0 when
  /// there are none. 1 is the largest, exactly.
  Duration percentile(double fraction) const;
  Duration max() const { return max_; }
  /// 0 when there are none.
  Duration mean() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Duration max_ = Duration::zero();
  double sum_ns_ = 0;
};

}  // namespace braid
