#include "tensor/softmax.h"

#include <algorithm>
#include <cmath>

namespace braid {

void softmax(std::span<float> row) {
  const float largest = *std::ranges::max_element(row);
  float sum = 0;
  for (float& value : row) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (float& value : row) {
    value /= sum;
  }
}

float floored_log(float probability) {
  constexpr float kProbabilityMin = 1e-6F;
  return std::log(std::max(probability, kProbabilityMin));
}

float normalised_entropy(std::span<const float> probabilities) {
  if (probabilities.size() < 2) {
    return 0;
  }
  float entropy = 0;
  for (const float p : probabilities) {
    entropy -= p > 0 ? p * std::log(p) : 0;
  }
  return std::clamp(entropy / std::log(static_cast<float>(probabilities.size())), 0.0F, 1.0F);
}

std::size_t argmax(std::span<const float> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

}  // namespace braid
