#pragma once
// Bootstrap: how far a score would move with other cases of the same kind. Whole groups are drawn
// with replacement, since cases of one group (a patient, near-duplicates) are not independent
// evidence (Davison and Hinkley 1997, section 3.8); the ends are percentiles of the draws. Threads:
// constant after construction. The same seed gives the same draws for every score, so that scores
// of the same cases are compared draw by draw.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace braid {

struct Interval {
  double value = 0;  // on the cases themselves
  double low = 0;
  double high = 0;
};

struct BootstrapOptions {
  std::size_t draw_count = 2000;  // moves an end by about 1/50 of the interval's width
  double coverage = 0.95;
  std::uint64_t seed = 1;
};

class Bootstrap {
 public:
  /// `group_of_case`: the name of each case's group; at least one case.
  Bootstrap(std::span<const std::string> group_of_case, BootstrapOptions options = {});

  /// Of the mean of one number a case.
  Interval mean(std::span<const double> values) const;

  /// Of mean(first) − mean(second), both of the same cases.
  Interval difference(std::span<const double> first, std::span<const double> second) const;

  /// Of 1 − mean(part) ÷ mean(whole): what is saved. `whole` does not sum to 0.
  Interval saving(std::span<const double> part, std::span<const double> whole) const;

  std::size_t group_count() const { return groups_.size(); }

 private:
  template <typename PerDraw>
  Interval percentiles(double value, const PerDraw& per_draw) const;
  std::vector<double> group_sums(std::span<const double> values) const;

  const BootstrapOptions options_;
  std::vector<std::vector<std::size_t>> groups_;  // the cases of each
};

/// Whether the first is not worse than the second by more than `margin`: the lower end of the
/// paired interval of first − second stays above −margin. With a two-sided interval of 95 % this is
/// a one-sided test at 2.5 %.
inline bool non_inferior(const Interval& difference, double margin) {
  return difference.low >= -margin;
}

/// Whether the interval of a difference leaves out 0.
inline bool significant(const Interval& difference) {
  return difference.low > 0 || difference.high < 0;
}

}  // namespace braid
