#pragma once
// Runs one variant on one case outside the dispatcher, for fitting: preprocessors, model, and the
// numbers that heads and votes are fitted on.

#include <string>
#include <vector>

#include "base/result.h"
#include "serve/pipeline.h"

namespace braid {

/// The indices into Pipeline::config.inputs that the variant needs, in its order.
std::vector<std::size_t> input_indices(const Variant& variant, const Pipeline& pipeline);

/// What a variant says, in one row: its embedding, then its scores (logits, or log-probabilities).
struct VariantSaid {
  std::vector<float> embedding;
  std::vector<float> scores;
};

/// `raws` are the bytes of each of input_indices(). kInvalidArgument names the input that is wrong.
Result<VariantSaid> run_variant(const Variant& variant, const Pipeline& pipeline,
                                const std::vector<std::string>& raws);

/// Names everything that the outcome depends on: the model's bytes, the settings of its inputs and
/// the files that they name, how tensors are fed and read. A SHA-256 in hexadecimal.
Result<std::string> digest_of(const Variant& variant, const Pipeline& pipeline);

}  // namespace braid
