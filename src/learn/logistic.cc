#include "learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/algebra.h"
#include "learn/lbfgs.h"

namespace braid {
namespace {

/// The mean loss and its gradient. Parameters lie block after block [width, classes], then the
/// bias.
class Loss {
 public:
  Loss(const LogisticData& data, const LogisticOptions& options)
      : data_(data), copies_(options.copies), seen_(data.class_count) {
    if (copies_.empty()) {
      copies_.push_back({std::vector<bool>(data.blocks.size(), true), 1});
    }
    for (const std::size_t label : data.labels) {
      seen_[label] = true;
    }
    total_weight_ =
        std::accumulate(data.weights.begin(), data.weights.end(), 0.0) *
        std::accumulate(copies_.begin(), copies_.end(), 0.0,
                        [](double sum, const LogisticCopy& copy) { return sum + copy.weight; });
    penalty_ = 1 / (options.strength * total_weight_);
    for (std::size_t block = 0; block <= data.blocks.size(); ++block) {
      offsets_.push_back(parameter_count_);
      parameter_count_ +=
          data.class_count * (block < data.blocks.size() ? data.blocks[block]->width : 1);
    }
    scores_.assign(data.blocks.size(), std::vector<double>(data.labels.size() * data.class_count));
    residuals_ = scores_;
  }

  std::size_t parameter_count() const { return parameter_count_; }
  const std::vector<bool>& seen() const { return seen_; }

  std::span<const double> of_block(std::span<const double> parameters, std::size_t block) const {
    const std::size_t end = block + 1 < offsets_.size() ? offsets_[block + 1] : parameter_count_;
    return parameters.subspan(offsets_[block], end - offsets_[block]);
  }

  double operator()(std::span<const double> parameters, std::span<double> gradient) {
    const std::size_t blocks = data_.blocks.size();
    for (std::size_t block = 0; block < blocks; ++block) {
      multiply(*data_.blocks[block], of_block(parameters, block), scores_[block]);
      std::ranges::fill(residuals_[block], 0);
    }
    bias_ = of_block(parameters, blocks);
    bias_gradient_ = gradient.subspan(offsets_[blocks]);
    std::ranges::fill(bias_gradient_, 0);
    double loss = 0;
    for (std::size_t i = 0; i < data_.labels.size(); ++i) {
      for (const LogisticCopy& copy : copies_) {
        loss += add_row(i, copy);
      }
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto weights = of_block(parameters, block);
      const auto into = gradient.subspan(offsets_[block], weights.size());
      multiply_transposed(*data_.blocks[block], residuals_[block], into);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        into[j] += penalty_ * weights[j];
        loss += penalty_ * weights[j] * weights[j] / 2;
      }
    }
    return loss;
  }

 private:
  /// The share of one copy of row `i` in the mean loss; adds p − y to the residuals that it
  /// touches.
  double add_row(std::size_t i, const LogisticCopy& copy) {
    const std::size_t classes = data_.class_count;
    row_.assign(bias_.begin(), bias_.end());
    for (std::size_t block = 0; block < scores_.size(); ++block) {
      for (std::size_t c = 0; copy.kept[block] && c < classes; ++c) {
        row_[c] += scores_[block][i * classes + c];
      }
    }
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < classes; ++c) {
      most = seen_[c] ? std::max(most, row_[c]) : most;
    }
    const double of_label = row_[data_.labels[i]] - most;
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      row_[c] = seen_[c] ? std::exp(row_[c] - most) : 0;
      sum += row_[c];
    }
    const double share = data_.weights[i] * copy.weight / total_weight_;
    for (std::size_t c = 0; c < classes; ++c) {
      row_[c] *= share / sum;
    }
    row_[data_.labels[i]] -= share;
    for (std::size_t block = 0; block < residuals_.size(); ++block) {
      for (std::size_t c = 0; copy.kept[block] && c < classes; ++c) {
        residuals_[block][i * classes + c] += row_[c];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      bias_gradient_[c] += row_[c];
    }
    return share * (std::log(sum) - of_label);
  }

  const LogisticData& data_;
  std::vector<LogisticCopy> copies_;
  std::vector<bool> seen_;  // classes that some row has
  double total_weight_ = 0;
  double penalty_ = 0;
  std::size_t parameter_count_ = 0;
  std::vector<std::size_t> offsets_;            // of each block, then of the bias
  std::vector<std::vector<double>> scores_;     // of each block [n, classes]
  std::vector<std::vector<double>> residuals_;  // likewise
  std::vector<double> row_;                     // scratch of one row
  std::span<const double> bias_;
  std::span<double> bias_gradient_;
};

}  // namespace

Logistic fit_logistic(const LogisticData& data, const LogisticOptions& options) {
  BRAID_CHECK(data.labels.size() == data.weights.size());
  for (const Matrix* block : data.blocks) {
    BRAID_CHECK(block->row_count == data.labels.size());
  }
  Loss loss(data, options);
  const LbfgsResult found = minimise(
      [&loss](std::span<const double> x, std::span<double> gradient) { return loss(x, gradient); },
      std::vector<double>(loss.parameter_count()),
      {.iterations_max = options.iterations_max, .gradient_max = options.gradient_max});

  Logistic fitted{
      .weights = {}, .bias = {}, .iterations = found.iterations, .converged = found.converged};
  for (std::size_t block = 0; block < data.blocks.size(); ++block) {
    Matrix weights(data.blocks[block]->width, data.class_count);
    std::ranges::copy(loss.of_block(found.x, block), weights.values.begin());
    fitted.weights.push_back(std::move(weights));
  }
  const auto bias = loss.of_block(found.x, data.blocks.size());
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
