#include "modality/series/dynamics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace braid::dynamics {
namespace {

/// The middle of the fullest of `count` equal bins, or the mean of the middles of several.
double mode_of(const std::vector<double>& values, std::size_t count) {
  const auto [low, high] = std::ranges::minmax(values);
  const double width = (high - low) / static_cast<double>(count);
  std::vector<std::size_t> counts(count);
  for (const double value : values) {
    const double place = std::clamp((value - low) / width, 0.0, static_cast<double>(count - 1));
    ++counts[static_cast<std::size_t>(place)];
  }
  const std::size_t fullest = *std::ranges::max_element(counts);
  double sum = 0;
  double modes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (counts[i] == fullest) {
      sum += low + (static_cast<double>(i) + 0.5) * width;
      ++modes;
    }
  }
  return sum / modes;
}

/// The longest run of places below `count` where `holds(i)`.
template <typename Holds>
double longest_run(std::size_t count, Holds holds) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < count; ++i) {
    run = holds(i) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return static_cast<double>(longest);
}

/// The lag where it first falls below `level`, between two lags by a straight line; as many as
/// there are lags when it does not.
double crossing_of(const std::vector<double>& acf, double level) {
  for (std::size_t i = 0; i + 1 < acf.size(); ++i) {
    if (acf[i + 1] < level) {
      return static_cast<double>(i) + (level - acf[i]) / (acf[i + 1] - acf[i]);
    }
  }
  return static_cast<double>(acf.size());
}

/// One-sided density of power by angular frequency.
std::vector<double> density_of(const std::vector<double>& values) {
  std::vector<double> density = power_spectrum(values);
  for (double& power : density) {
    power /= static_cast<double>(values.size()) * std::numbers::pi;
  }
  return density;
}

double bin_width(const std::vector<double>& density) {
  return std::numbers::pi / static_cast<double>(density.size() - 1);
}

double correlation(std::span<const double> left, std::span<const double> right) {
  const auto count = static_cast<double>(left.size());
  const double left_mean = std::accumulate(left.begin(), left.end(), 0.0) / count;
  const double right_mean = std::accumulate(right.begin(), right.end(), 0.0) / count;
  double products = 0;
  double left_squares = 0;
  double right_squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    products += (left[i] - left_mean) * (right[i] - right_mean);
    left_squares += (left[i] - left_mean) * (left[i] - left_mean);
    right_squares += (right[i] - right_mean) * (right[i] - right_mean);
  }
  return products / std::sqrt(left_squares * right_squares);
}

}  // namespace

double mode_5(Stretch& stretch) { return mode_of(stretch.standardised(), 5); }

double mode_10(Stretch& stretch) { return mode_of(stretch.standardised(), 10); }

double stretch_high(Stretch& stretch) {
  const std::vector<double>& x = stretch.standardised();
  return longest_run(x.size(), [&](std::size_t i) { return x[i] > 0; });
}

double stretch_decreasing(Stretch& stretch) {
  const std::vector<double>& x = stretch.standardised();
  return longest_run(x.size() - 1, [&](std::size_t i) { return x[i + 1] <= x[i]; });
}

double acf_timescale(Stretch& stretch) {
  return crossing_of(stretch.autocorrelation(), 1 / std::numbers::e);
}

double acf_first_min(Stretch& stretch) {
  const std::vector<double>& acf = stretch.autocorrelation();
  for (std::size_t i = 1; i + 1 < acf.size(); ++i) {
    if (acf[i] < acf[i - 1] && acf[i] < acf[i + 1]) {
      return static_cast<double>(i);
    }
  }
  return static_cast<double>(acf.size());
}

double low_freq_power(Stretch& stretch) {
  const std::vector<double> density = density_of(stretch.standardised());
  const auto fifth = static_cast<std::ptrdiff_t>((density.size() + 4) / 5);
  return std::accumulate(density.begin(), density.begin() + fifth, 0.0) * bin_width(density);
}

double median_freq(Stretch& stretch) {
  const std::vector<double> density = density_of(stretch.standardised());
  const double half = std::accumulate(density.begin(), density.end(), 0.0) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    sum += density[i];
    if (sum > half) {
      return static_cast<double>(i) * bin_width(density);
    }
  }
  return std::numbers::pi;
}

double forecast_error(Stretch& stretch) {
  const std::vector<double>& x = stretch.standardised();
  std::vector<double> errors;
  for (std::size_t i = 3; i < x.size(); ++i) {
    errors.push_back(x[i] - (x[i - 3] + x[i - 2] + x[i - 1]) / 3);
  }
  const auto count = static_cast<double>(errors.size());
  const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  double squares = 0;
  for (const double error : errors) {
    squares += (error - mean) * (error - mean);
  }
  return std::sqrt(squares / (count - 1));
}

double whiten_timescale(Stretch& stretch) {
  const std::vector<double>& x = stretch.standardised();
  std::vector<double> steps;
  for (std::size_t i = 1; i < x.size(); ++i) {
    steps.push_back(x[i] - x[i - 1]);
  }
  return crossing_of(autocorrelation_of(steps), 0) / crossing_of(stretch.autocorrelation(), 0);
}

double trev(Stretch& stretch) {
  const std::vector<double>& x = stretch.standardised();
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    sum += std::pow(x[i] - x[i - 1], 3);
  }
  return sum / static_cast<double>(x.size() - 1);
}

double ami_timescale(Stretch& stretch) {
  constexpr std::size_t kLagMax = 40;
  const std::span<const double> x = stretch.standardised();
  const std::size_t lags = std::min(kLagMax, (x.size() + 1) / 2);
  std::vector<double> information;  // of two normal variables so correlated
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    const double r = correlation(x.first(x.size() - lag), x.subspan(lag));
    information.push_back(-0.5 * std::log(1 - r * r));
  }
  for (std::size_t i = 1; i + 1 < lags; ++i) {
    if (information[i] < information[i - 1] && information[i] < information[i + 1]) {
      return static_cast<double>(i + 1);  // information[0] is of lag 1
    }
  }
  return static_cast<double>(lags);
}

double high_fluctuation(Stretch& stretch) {
  constexpr double kStep = 0.04;
  const std::vector<double>& x = stretch.standardised();
  double count = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    count += std::abs(x[i] - x[i - 1]) > kStep ? 1 : 0;
  }
  return count / static_cast<double>(x.size() - 1);
}

}  // namespace braid::dynamics
