#include "learn/temperature.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace braid {
namespace {

constexpr double kColdest = 0.05;
constexpr double kHottest = 20;

/// Derivative of the weighted NLL by β = 1 ÷ T: Σ w · (E_p[score] − score of the label). It rises
/// with β, since the second derivative is a variance.
double slope_at(double beta, const Matrix& scores, std::span<const std::size_t> labels,
                std::span<const double> weights) {
  double slope = 0;
  for (std::size_t i = 0; i < scores.row_count; ++i) {
    const auto row = scores.row(i);
    const double most = std::ranges::max(row);
    double sum = 0;
    double mean = 0;
    for (const double score : row) {
      const double odds = std::exp(beta * (score - most));
      sum += odds;
      mean += odds * score;
    }
    slope += weights[i] * (mean / sum - row[labels[i]]);
  }
  return slope;
}

}  // namespace

double fit_temperature(const Matrix& scores, std::span<const std::size_t> labels,
                       std::span<const double> weights) {
  BRAID_CHECK(scores.row_count == labels.size() && labels.size() == weights.size());
  double low = std::log(1 / kHottest);
  double high = std::log(1 / kColdest);
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double middle = (low + high) / 2;
    if (slope_at(std::exp(middle), scores, labels, weights) < 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return std::exp(-(low + high) / 2);
}

void log_softmax(Matrix& scores, double temperature) {
  for (std::size_t i = 0; i < scores.row_count; ++i) {
    const auto row = scores.row(i);
    const double most = std::ranges::max(row);
    double sum = 0;
    for (double& score : row) {
      score = (score - most) / temperature;
      sum += std::exp(score);
    }
    for (double& score : row) {
      score -= std::log(sum);
    }
  }
}

double mean_nll(const Matrix& log_probabilities, std::span<const std::size_t> labels,
                std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum -= weights[i] * log_probabilities.at(i, labels[i]);
  }
  return sum / std::accumulate(weights.begin(), weights.end(), 0.0);
}

double accuracy_of(const Matrix& scores, std::span<const std::size_t> labels,
                   std::span<const double> weights) {
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = scores.row(i);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    right += best == labels[i] ? weights[i] : 0;
  }
  return right / std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace braid
