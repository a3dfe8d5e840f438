#include "measure/calibration.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "measure/chance.h"
#include "measure/scores.h"

namespace braid {
namespace {

/// E|X| of a normal X (Leone, Nelson and Nottingham 1961, the folded normal distribution).
double folded_normal_mean(double mean, double deviation) {
  if (deviation == 0) {
    return std::abs(mean);
  }
  const double z = mean / deviation;
  return deviation * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) +
         mean * std::erf(z / std::numbers::sqrt2);
}

/// Σ |accuracy − confidence| of one bin, times its number of cases.
double bin_error(std::span<const Confidence> bin, bool debias) {
  const double count = static_cast<double>(bin.size());
  double right = 0;
  double confidence = 0;
  for (const Confidence& each : bin) {
    right += each.correct ? 1 : 0;
    confidence += each.confidence;
  }
  const double accuracy = right / count;
  const double difference = accuracy - confidence / count;
  double error = std::abs(difference);
  if (debias) {
    const double deviation = std::sqrt(accuracy * (1 - accuracy) / count);
    error -= folded_normal_mean(difference, deviation) - error;
  }
  return count * error;
}

/// Bins of equal width are open below and closed above, as in Guo et al. 2017.
std::size_t width_bin(const Confidence& each, std::size_t bin_count) {
  return static_cast<std::size_t>(std::ceil(each.confidence * static_cast<double>(bin_count)));
}

/// Where the bin that begins at `begin` ends; `sorted` by confidence.
std::size_t bin_end(std::span<const Confidence> sorted, std::size_t begin,
                    const CalibrationOptions& options) {
  const std::size_t count = sorted.size();
  const std::size_t bins = options.bin_count;
  std::size_t end = begin + 1;
  if (options.bins == Bins::kEqualWidth) {
    const std::size_t bin = width_bin(sorted[begin], bins);
    while (end < count && width_bin(sorted[end], bins) == bin) {
      ++end;
    }
    return end;
  }
  const std::size_t bin = begin * bins / count;
  end = ((bin + 1) * count + bins - 1) / bins;
  while (end < count && sorted[end].confidence == sorted[end - 1].confidence) {
    ++end;
  }
  return end;
}

double sorted_error(std::span<const Confidence> sorted, const CalibrationOptions& options) {
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    end = bin_end(sorted, begin, options);
    sum += bin_error(sorted.subspan(begin, end - begin), options.debias);
  }
  return std::max(0.0, sum / static_cast<double>(sorted.size()));
}

std::vector<Confidence> sorted_copy(std::span<const Confidence> cases) {
  BRAID_CHECK(!cases.empty());
  std::vector<Confidence> sorted(cases.begin(), cases.end());
  std::ranges::stable_sort(sorted, {}, &Confidence::confidence);
  return sorted;
}

}  // namespace

std::vector<Confidence> confidences(Answers answers) {
  std::vector<Confidence> cases;
  for (const Answer& answer : answers) {
    cases.push_back({answer.confidence(), answer.correct()});
  }
  return cases;
}

double expected_calibration_error(std::span<const Confidence> cases,
                                  const CalibrationOptions& options) {
  return sorted_error(sorted_copy(cases), options);
}

double perfect_calibration_limit(std::span<const Confidence> cases, std::uint64_t seed,
                                 const CalibrationOptions& options, std::size_t draw_count) {
  std::vector<Confidence> sorted = sorted_copy(cases);
  Chance chance(seed);
  std::vector<double> errors;
  for (std::size_t draw = 0; draw < draw_count; ++draw) {
    for (Confidence& each : sorted) {
      each.correct = chance.unit() < each.confidence;
    }
    errors.push_back(sorted_error(sorted, options));
  }
  return quantile(std::move(errors), 0.95);
}

}  // namespace braid
