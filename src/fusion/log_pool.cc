#include "fusion/log_pool.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tensor/softmax.h"

namespace braid {

LogPool::LogPool(std::span<const std::size_t> shape)
    : shape_(shape.begin(), shape.end()), scores_(shape[0] * shape[1]) {}

void LogPool::add(double weight, const TensorView& said) {
  const std::span<const float> values = said.values<float>();
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    scores_[i] += weight * static_cast<double>(floored_log(values[i]));
  }
}

Result<void> LogPool::add_prior(double weight, std::span<const double> prior) {
  if (prior.size() != shape_[1]) {
    return Error{Code::kInvalidArgument, fmt::format("parts speak of {} classes, the prior of {}",
                                                     shape_[1], prior.size())};
  }
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const auto p = static_cast<float>(prior[i % prior.size()]);
    scores_[i] += weight * static_cast<double>(floored_log(p));
  }
  return {};
}

Result<Opinion> LogPool::opinion() const {
  BRAID_TRY(Tensor probabilities, Tensor::from(shape_, normalised(scores_, shape_[1])));
  return Opinion{std::move(probabilities), {}};
}

std::vector<float> normalised(std::span<const double> scores, std::size_t class_count) {
  std::vector<float> probabilities(scores.size());
  for (std::size_t begin = 0; begin < scores.size(); begin += class_count) {
    const std::span<const double> row = scores.subspan(begin, class_count);
    const double largest = std::ranges::max(row);
    double sum = 0;
    for (const double score : row) {
      sum += std::exp(score - largest);
    }
    for (std::size_t c = 0; c < class_count; ++c) {
      probabilities[begin + c] = static_cast<float>(std::exp(row[c] - largest) / sum);
    }
  }
  return probabilities;
}

Result<std::vector<double>> prior_of(const FusionSetup& setup, bool wanted) {
  if (!wanted || setup.prior.empty()) {
    return std::vector<double>();
  }
  const bool is_positive = std::ranges::all_of(setup.prior, [](double p) { return p >= 0; });
  if (setup.prior.size() != setup.classes.size() || !is_positive) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the fitted prior has {} probabilities for {} classes, none of which "
                             "may be negative; run `braid fit` again",
                             setup.prior.size(), setup.classes.size())};
  }
  return setup.prior;
}

}  // namespace braid
