#pragma once
// Small kernels on rows of class scores, used by fusion, serving and fitting alike.

#include <span>
#include <vector>

namespace braid {

/// Log weights to probabilities, in place. The largest becomes exp(0) = 1, so none overflows and
/// the sum cannot be 0.
void softmax(std::span<float> row);

/// log(max(p, 1e-6)): without a floor the 0 of one part would overrule all others.
float floored_log(float probability);

/// Entropy ÷ log(classes): 0 for certainty, 1 when all are equally likely. One class gives 0.
float normalised_entropy(std::span<const float> probabilities);

/// The index of the largest value; the first of equals.
std::size_t argmax(std::span<const float> row);

}  // namespace braid
