#pragma once
// Pooling: a grid of any number of frames to a vector of a fixed length, so that a plain classifier
// can be fitted on sounds without a network. Threads: pure functions.

#include <cstddef>

#include "base/result.h"
#include "modality/audio/grid.h"
#include "tensor/tensor.h"

namespace braid {

struct PoolOptions {
  std::size_t segments = 0;  // means of so many equal parts of the time follow
  bool length = false;       // the logarithm of the number of frames comes last
  float mean = 0;            // values are of (x - mean) ÷ std
  float std = 1;
};

/// rows · (2 + segments), and one with `length`.
std::size_t pooled_width(std::size_t row_count, const PoolOptions& options);

/// FP32 [1, pooled_width]: the means of all rows, their standard deviations (÷ frames), the means
/// of the first part of the time, of the second …, and ln(frames). Parts are numpy.array_split's:
/// the first ones are a frame longer where the frames do not divide; with fewer frames than parts
/// each part is all of the time. The grid has at least one frame.
Result<Tensor> pooled(const Grid& grid, const PoolOptions& options);

}  // namespace braid
