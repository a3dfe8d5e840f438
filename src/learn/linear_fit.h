#pragma once
// Linear variants, `{fit: linear}`: multinomial logistic regression on what an input encodes, kept
// sparse, for features that are wide and nearly all zero; once on all rows for serving, and once a
// fold for what it says of rows that it did not see. Threads: one.

#include <map>
#include <string>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"

namespace braid {

/// Fills `scores` of every linear variant's rows with out-of-fold logits, and `present`. Returns
/// the bytes of each one's model.onnx, by its name: `TENSOR` FP32 [-1, width] → `logits`. Errors
/// have the manifest's line.
Result<std::map<std::string, std::string>> fit_linears(const FitSetup& setup, const FitData& data,
                                                       const Manifest& manifest,
                                                       const FitContext& context,
                                                       EmbeddedRows& embedded);

}  // namespace braid
