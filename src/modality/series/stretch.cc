#include "modality/series/stretch.h"

#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace braid {
namespace {

using Complex = std::complex<double>;

/// In place, forward, of a power of two: Cooley and Tukey's, on numbers in bit-reversed order.
void transform(std::vector<Complex>& values) {
  const std::size_t count = values.size();
  for (std::size_t i = 1, j = 0; i < count; ++i) {
    std::size_t bit = count >> 1;
    for (; (j & bit) != 0; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(values[i], values[j]);
    }
  }
  std::vector<Complex> turns(count / 2);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    turns[k] = std::polar(
        1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
  }
  for (std::size_t half = 1; half < count; half *= 2) {
    const std::size_t step = count / (2 * half);
    for (std::size_t begin = 0; begin < count; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex left = values[begin + k];
        const Complex right = values[begin + k + half] * turns[k * step];
        values[begin + k] = left + right;
        values[begin + k + half] = left - right;
      }
    }
  }
}

/// Less their mean, followed by zeros.
std::vector<Complex> centred(std::span<const double> values, std::size_t count) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  const double mean = sum / static_cast<double>(values.size());
  std::vector<Complex> result(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = values[i] - mean;
  }
  return result;
}

}  // namespace

std::vector<double> autocorrelation_of(std::span<const double> values) {
  std::vector<Complex> spectrum = centred(values, 2 * std::bit_ceil(values.size()));
  transform(spectrum);
  for (Complex& value : spectrum) {
    value = std::norm(value);
  }
  transform(spectrum);  // of a real and even sequence: forward and backward are the same
  std::vector<double> result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    result.push_back(spectrum[k].real() / spectrum[0].real());
  }
  return result;
}

std::vector<double> power_spectrum(std::span<const double> values) {
  std::vector<Complex> spectrum = centred(values, std::bit_ceil(values.size()));
  transform(spectrum);
  std::vector<double> powers;
  for (std::size_t k = 0; k <= spectrum.size() / 2; ++k) {
    powers.push_back(std::norm(spectrum[k]));
  }
  return powers;
}

Stretch::Stretch(std::span<const double> values) {
  present_.reserve(values.size());
  for (const double value : values) {
    if (!std::isnan(value)) {
      present_.push_back(value);
    }
  }
  has_gaps_ = present_.size() != values.size();
}

const std::vector<double>& Stretch::standardised() {
  if (!standardised_.has_value()) {
    const auto count = static_cast<double>(present_.size());
    double sum = 0;
    for (const double value : present_) {
      sum += value;
    }
    const double mean = sum / count;
    double squares = 0;
    for (const double value : present_) {
      squares += (value - mean) * (value - mean);
    }
    const double spread = std::sqrt(squares / (count - 1));
    standardised_.emplace();
    for (const double value : present_) {
      standardised_->push_back((value - mean) / spread);
    }
  }
  return *standardised_;
}

const std::vector<double>& Stretch::autocorrelation() {
  if (!autocorrelation_.has_value()) {
    autocorrelation_ = autocorrelation_of(standardised());
  }
  return *autocorrelation_;
}

}  // namespace braid
