#pragma once
// Stretch: the values that statistics are taken of, and what several of them need, computed once.
// Threads: one owner.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace braid {

class Stretch {
 public:
  explicit Stretch(std::span<const double> values);

  bool has_gaps() const { return has_gaps_; }
  std::span<const double> present() const { return present_; }  // without gaps

  /// (x - mean) ÷ std with n - 1; of values without gaps.
  const std::vector<double>& standardised();
  /// Autocorrelation of the standardised values, by lag from 0; as many as values.
  const std::vector<double>& autocorrelation();

 private:
  bool has_gaps_ = false;
  std::vector<double> present_;
  std::optional<std::vector<double>> standardised_;
  std::optional<std::vector<double>> autocorrelation_;
};

/// Σ (x_t - m)(x_t+k - m) ÷ Σ (x_t - m)², for k = 0 … n - 1. NaN for values that are all equal.
std::vector<double> autocorrelation_of(std::span<const double> values);

/// |X|² of values less their mean, padded with zeros to the next power of two; up to half of it.
std::vector<double> power_spectrum(std::span<const double> values);

}  // namespace braid
