#include "modality/series/basic.h"

#include <algorithm>
#include <cmath>

#include "modality/series/recording.h"

namespace braid::basic {
namespace {

/// Mean of (x - mean)^power.
double moment(std::span<const double> values, int power) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += std::pow(value - centre, power);
  }
  return sum / static_cast<double>(values.size());
}

/// The moment of (x - mean) ÷ std. NaN where rounding is all that the values differ by, as scipy.
double standardised(std::span<const double> values, int power) {
  const double spread = std(values);
  if (!(spread > 1e-12 * std::abs(mean(values)))) {
    return kGap;
  }
  return moment(values, power) / std::pow(spread, power);
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());  // of nothing: NaN
}

double std(std::span<const double> values) { return std::sqrt(moment(values, 2)); }

double min(std::span<const double> values) {
  return values.empty() ? kGap : *std::ranges::min_element(values);
}

double max(std::span<const double> values) {
  return values.empty() ? kGap : *std::ranges::max_element(values);
}

double quantile(std::span<const double> ordered, double share) {
  const double place = share * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return ordered[below] + (ordered[above] - ordered[below]) * (place - std::floor(place));
}

double median(std::span<const double> values) {
  return values.empty() ? kGap : quantile(sorted(values), 0.5);
}

double iqr(std::span<const double> values) {
  if (values.empty()) {
    return kGap;
  }
  const std::vector<double> ordered = sorted(values);
  return quantile(ordered, 0.75) - quantile(ordered, 0.25);
}

double skewness(std::span<const double> values) { return standardised(values, 3); }

double kurtosis(std::span<const double> values) { return standardised(values, 4) - 3; }

double slope(std::span<const double> values) {
  if (values.size() < 2) {
    return kGap;
  }
  const double centre = static_cast<double>(values.size() - 1) / 2;
  const double level = mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = static_cast<double>(i) - centre;
    products += place * (values[i] - level);
    squares += place * place;
  }
  return products / squares;
}

double mean_abs_change(std::span<const double> values) {
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += std::abs(values[i] - values[i - 1]);
  }
  return values.size() < 2 ? kGap : sum / static_cast<double>(values.size() - 1);
}

double first(std::span<const double> values) { return values.empty() ? kGap : values.front(); }

double last(std::span<const double> values) { return values.empty() ? kGap : values.back(); }

}  // namespace braid::basic
