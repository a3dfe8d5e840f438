#pragma once
// Basic statistics of values without gaps: moments, quantiles, slope. NaN where they are not
// defined. Threads: pure functions.

#include <span>
#include <vector>

namespace braid::basic {

double mean(std::span<const double> values);
double std(std::span<const double> values);  // ÷ n, as numpy
double min(std::span<const double> values);
double max(std::span<const double> values);
double median(std::span<const double> values);
double iqr(std::span<const double> values);              // scipy.stats.iqr
double skewness(std::span<const double> values);         // scipy.stats.skew
double kurtosis(std::span<const double> values);         // scipy.stats.kurtosis: 0 for a normal
double slope(std::span<const double> values);            // numpy.polyfit(range(n), values, 1)[0]
double mean_abs_change(std::span<const double> values);  // of neighbours
double first(std::span<const double> values);
double last(std::span<const double> values);

/// numpy.quantile of sorted values, linear; not empty.
double quantile(std::span<const double> sorted, double share);

}  // namespace braid::basic
