#pragma once
// What a model said of several rows of one request, such as a long text's windows, as one row.
// Threads: pure.

#include "serve/pipeline_config.h"
#include "tensor/tensor.h"

namespace braid {

/// FP32 [rows ≥ 1, width] to [1, width]: each column's mean, or its maximum. A column with a NaN
/// gives NaN.
Tensor pool_rows(const Tensor& rows, Pool pool);

/// The same of probabilities: maxima are divided by their sum.
Tensor pool_probabilities(const Tensor& rows, Pool pool);

}  // namespace braid
