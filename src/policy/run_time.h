#pragma once
// RunTimeEstimate: how long a model takes for n rows, learned from its runs and forgetting old
// ones, so that it follows a machine that becomes slower.
//
// Mean: fixed + n · per_row by weighted least squares; a run counts 0.998 times as much as the one
// after it. Tail: the 95th percentile minus the mean over the last 128 runs.
// Threads: a value; whoever shares one locks it.

#include <array>
#include <cstddef>

#include "base/clock.h"

namespace braid {

class RunTimeEstimate {
 public:
  /// Of one run that succeeded. `row_count` ≥ 1.
  void observe(std::size_t row_count, Duration took);

  /// The first run of a network allocates and is like no other, so it does not count: a plan that
  /// it bars would never be tried again.
  bool known() const { return run_count_ > 1; }
  /// All zero before that. As long as all runs had the same number of rows, the whole time counts
  /// as fixed: a larger batch is worth a try.
  Duration fixed() const { return fixed_; }
  Duration per_row() const { return per_row_; }
  Duration tail() const { return tail_; }
  Duration mean(std::size_t row_count) const {
    return fixed_ + static_cast<Duration::rep>(row_count) * per_row_;
  }
  /// The most rows that were ever run at once, in the first run too; 0 before it.
  std::size_t rows_seen_max() const { return rows_seen_max_; }

 private:
  void fit(double rows, double took);
  void keep_residual(Duration residual);

  std::size_t run_count_ = 0;
  std::size_t rows_seen_max_ = 0;
  Duration fixed_{}, per_row_{}, tail_{};

  double weight_ = 0;  // of all runs together
  double mean_rows_ = 0, mean_took_ = 0;
  double spread_rows_ = 0, spread_both_ = 0;  // weighted sums of squares and of products

  std::array<Duration, 128> residuals_{};
  std::size_t residual_count_ = 0;
};

}  // namespace braid
