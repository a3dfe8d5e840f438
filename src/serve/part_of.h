#pragma once
// What one branch says for one request: a model's outputs, given their roles and calibrated.

#include <optional>
#include <string>

#include "base/result.h"
#include "serve/pipeline.h"
#include "tensor/tensor.h"

namespace braid {

/// Owns what a fusion Part borrows. One row.
struct BranchPart {
  std::optional<Tensor> probabilities = {};  // [1, classes], calibrated
  std::optional<Tensor> embedding = {};      // [1, width]
  std::string space = {};
  /// The share of training embeddings that are nearer to their middle, in [0, 1], where it is
  /// known.
  std::optional<double> out_of_domain = {};
  std::optional<Error> absent = Error{Code::kUnavailable, "not run"};

  bool present() const { return !absent.has_value(); }
};

/// Several rows of one request are pooled as the variant's `pool` says: embeddings and logits as
/// they are, probabilities so that they sum to 1 again.
/// kInternal when the model gave another shape than it promised or a number that is not finite.
Result<BranchPart> part_of(const Variant& variant, const NamedTensors& outputs,
                           std::size_t class_count);

/// Rows of logits to probabilities, softmax(z / T); of probabilities to p^(1/T), normalised
/// (temperature scaling, Guo et al. 2017). In place.
void calibrate_logits(std::span<float> values, std::size_t class_count, double temperature);
void calibrate_probabilities(std::span<float> values, std::size_t class_count, double temperature);

}  // namespace braid
