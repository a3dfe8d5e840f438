#include "policy/run_time.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace braid {
namespace {

constexpr double kKeep = 0.998;          // of a run's weight, at each later run
constexpr std::size_t kRefreshEach = 8;  // runs between two looks for the percentile

Duration rounded(double nanoseconds) { return Duration(std::llround(nanoseconds)); }

}  // namespace

void RunTimeEstimate::observe(std::size_t row_count, Duration took) {
  BRAID_CHECK(row_count > 0);
  ++run_count_;
  rows_seen_max_ = std::max(rows_seen_max_, row_count);
  if (!known()) {
    return;
  }
  fit(static_cast<double>(row_count), static_cast<double>(took.count()));
  keep_residual(took - mean(row_count));
}

// Welford's update (1962) with forgetting: stable where sums of squares would cancel.
void RunTimeEstimate::fit(double rows, double took) {
  weight_ = kKeep * weight_ + 1;
  const double step = rows - mean_rows_;
  mean_rows_ += step / weight_;
  mean_took_ += (took - mean_took_) / weight_;
  spread_rows_ = kKeep * spread_rows_ + step * (rows - mean_rows_);
  spread_both_ = kKeep * spread_both_ + step * (took - mean_took_);

  // Neither part is negative: a line through noise would promise runs in no time.
  const double slope_max = mean_took_ / mean_rows_;
  const bool varied = spread_rows_ > 1e-9 * weight_ * mean_rows_ * mean_rows_;
  const double slope = varied ? std::clamp(spread_both_ / spread_rows_, 0.0, slope_max) : 0.0;
  per_row_ = rounded(slope);
  fixed_ = rounded(mean_took_ - slope * mean_rows_);
}

void RunTimeEstimate::keep_residual(Duration residual) {
  residuals_[residual_count_ % residuals_.size()] = residual;
  ++residual_count_;
  if (residual_count_ > kRefreshEach && residual_count_ % kRefreshEach != 0) {
    return;
  }
  const std::size_t count = std::min(residual_count_, residuals_.size());
  auto sorted = residuals_;
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(count * 95 / 100);
  std::nth_element(sorted.begin(), at, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  tail_ = std::max(*at, Duration::zero());
}

}  // namespace braid
