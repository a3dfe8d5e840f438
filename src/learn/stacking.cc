#include "learn/stacking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/algebra.h"
#include "learn/lbfgs.h"

namespace braid {
namespace {

/// [n, members · classes + members]: log-probabilities, then who is present.
Matrix features_of(std::span<const Member> members) {
  const std::size_t classes = members.front().log_probabilities.width;
  const std::size_t rows = members.front().log_probabilities.row_count;
  Matrix features(rows, members.size() * (classes + 1));
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (members[m].present[i]) {
        std::ranges::copy(members[m].log_probabilities.row(i),
                          features.row(i).subspan(m * classes).begin());
        features.at(i, members.size() * classes + m) = 1;
      }
    }
  }
  return features;
}

}  // namespace

StackingFit fit_stacking(std::span<const Member> members, std::span<const std::size_t> labels,
                         std::span<const double> weights, double pull) {
  const std::size_t classes = members.front().log_probabilities.width;
  const Matrix features = features_of(members);
  const std::vector<double> vote = fit_vote(members, {}, labels, weights);
  std::vector<double> anchor(features.width * classes + classes);  // [features, classes], then b
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t c = 0; c < classes; ++c) {
      anchor[(m * classes + c) * classes + c] = vote[m];
    }
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const std::size_t weight_count = features.width * classes;
  std::vector<double> scores(features.row_count * classes);
  const auto loss = [&](std::span<const double> x, std::span<double> gradient) {
    multiply(features, x.first(weight_count), scores);
    const auto bias = x.subspan(weight_count);
    const auto bias_gradient = gradient.subspan(weight_count);
    std::ranges::fill(bias_gradient, 0);
    double value = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::span<double> row = std::span(scores).subspan(i * classes, classes);
      for (std::size_t c = 0; c < classes; ++c) {
        row[c] += bias[c];
      }
      const double most = std::ranges::max(row);
      const double of_label = row[labels[i]] - most;
      double sum = 0;
      for (double& score : row) {
        score = std::exp(score - most);
        sum += score;
      }
      const double share = weights[i] / total;
      value += share * (std::log(sum) - of_label);
      for (double& score : row) {
        score *= share / sum;
      }
      row[labels[i]] -= share;
      for (std::size_t c = 0; c < classes; ++c) {
        bias_gradient[c] += row[c];
      }
    }
    multiply_transposed(features, scores, gradient.first(weight_count));
    for (std::size_t j = 0; j < x.size(); ++j) {
      value += pull / 2 * (x[j] - anchor[j]) * (x[j] - anchor[j]);
      gradient[j] += pull * (x[j] - anchor[j]);
    }
    return value;
  };
  const std::vector<double> found = minimise(loss, anchor, {.gradient_max = 1e-6}).x;
  StackingFit fit{Matrix(classes, features.width),
                  {found.begin() + static_cast<std::ptrdiff_t>(weight_count), found.end()}};
  for (std::size_t j = 0; j < features.width; ++j) {
    for (std::size_t c = 0; c < classes; ++c) {
      fit.weight.at(c, j) = found[j * classes + c];
    }
  }
  return fit;
}

}  // namespace braid
