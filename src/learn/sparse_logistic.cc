#include "learn/sparse_logistic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/lbfgs.h"

namespace braid {
namespace {

/// bias + Σ xⱼ Wⱼ, where row j of W are `classes` numbers.
void add_up(const SparseMatrix& rows, std::size_t row, std::span<const double> weights,
            std::span<const double> bias, std::span<double> into) {
  std::ranges::copy(bias, into.begin());
  const std::size_t classes = into.size();
  const auto columns = rows.columns(row);
  const auto values = rows.values(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double* of_column = weights.data() + columns[i] * classes;
    const auto value = static_cast<double>(values[i]);
    for (std::size_t c = 0; c < classes; ++c) {
      into[c] += value * of_column[c];
    }
  }
}

/// The mean loss and its gradient. Parameters are weights [width, classes], then the bias.
class Loss {
 public:
  Loss(const SparseLogisticData& data, double strength)
      : data_(data), seen_(data.class_count), scores_(data.class_count) {
    for (const std::size_t row : data.chosen) {
      seen_[data.labels[row]] = true;
      total_weight_ += data.weights[row];
    }
    penalty_ = 1 / (strength * total_weight_);
  }

  std::size_t weight_count() const { return data_.rows.width() * data_.class_count; }
  const std::vector<bool>& seen() const { return seen_; }

  double operator()(std::span<const double> parameters, std::span<double> gradient) {
    const auto weights = parameters.first(weight_count());
    double loss = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gradient[i] = penalty_ * weights[i];
      loss += penalty_ * weights[i] * weights[i] / 2;
    }
    std::ranges::fill(gradient.subspan(weight_count()), 0);
    for (const std::size_t row : data_.chosen) {
      add_up(data_.rows, row, weights, parameters.subspan(weight_count()), scores_);
      loss += residuals_of(row);
      spread(row, gradient);
    }
    return loss;
  }

 private:
  /// Scores to (p − y) · share of the row; returns its share of the loss.
  double residuals_of(std::size_t row) {
    const std::size_t label = data_.labels[row];
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      most = seen_[c] ? std::max(most, scores_[c]) : most;
    }
    const double of_label = scores_[label] - most;
    double sum = 0;
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      scores_[c] = seen_[c] ? std::exp(scores_[c] - most) : 0;
      sum += scores_[c];
    }
    const double share = data_.weights[row] / total_weight_;
    for (double& score : scores_) {
      score *= share / sum;
    }
    scores_[label] -= share;
    return share * (std::log(sum) - of_label);
  }

  void spread(std::size_t row, std::span<double> gradient) const {
    const std::size_t classes = scores_.size();
    const auto columns = data_.rows.columns(row);
    const auto values = data_.rows.values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      double* of_column = gradient.data() + columns[i] * classes;
      const auto value = static_cast<double>(values[i]);
      for (std::size_t c = 0; c < classes; ++c) {
        of_column[c] += value * scores_[c];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      gradient[weight_count() + c] += scores_[c];
    }
  }

  const SparseLogisticData& data_;
  std::vector<bool> seen_;  // classes that some row has
  double total_weight_ = 0;
  double penalty_ = 0;
  std::vector<double> scores_;  // scratch of one row
};

}  // namespace

void SparseLogistic::logits(const SparseMatrix& rows, std::size_t row,
                            std::span<double> into) const {
  add_up(rows, row, weights.values, bias, into);
}

SparseLogistic fit_sparse_logistic(const SparseLogisticData& data,
                                   const SparseLogisticOptions& options) {
  constexpr std::size_t kMemory = 5;  // pairs, each as large as the parameters twice
  BRAID_CHECK(data.labels.size() == data.rows.row_count() && !data.chosen.empty());
  Loss loss(data, options.strength);
  const LbfgsResult found = minimise(
      [&loss](std::span<const double> x, std::span<double> gradient) { return loss(x, gradient); },
      std::vector<double>(loss.weight_count() + data.class_count),
      {.iterations_max = options.iterations_max,
       .gradient_max = options.gradient_max,
       .memory = kMemory});

  SparseLogistic fitted{Matrix(data.rows.width(), data.class_count), {}, found.converged};
  const auto bias = std::span(found.x).subspan(loss.weight_count());
  std::copy(found.x.begin(), found.x.end() - static_cast<std::ptrdiff_t>(bias.size()),
            fitted.weights.values.begin());
  fitted.bias.assign(bias.begin(), bias.end());
  double lowest = 0;
  for (std::size_t c = 0; c < data.class_count; ++c) {
    lowest = loss.seen()[c] ? std::min(lowest, fitted.bias[c]) : lowest;
  }
  for (std::size_t c = 0; c < data.class_count; ++c) {
    fitted.bias[c] = loss.seen()[c] ? fitted.bias[c] : lowest - 12;
  }
  return fitted;
}

}  // namespace braid
