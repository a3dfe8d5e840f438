#pragma once
// Rows: joining the rows of several tensors into a batch, and taking them apart again.

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace braid {

/// Axis 0 grows; all other axes and the dtype are equal, which is the caller's promise.
Tensor join_rows(std::span<const Tensor* const> tensors);

/// The same, but axis 1, of `extent` at most in each, is filled up with zeros to it. Not for
/// kBytes.
Tensor join_rows_padded(std::span<const Tensor* const> tensors, std::size_t extent);
/// Axis 1 without what lies beyond `extent`. Not for kBytes.
Tensor crop_rows(const TensorView& view, std::size_t extent);

/// Rows begin … begin + count - 1.
Tensor take_rows(const TensorView& view, std::size_t begin, std::size_t count);
inline Tensor take_rows(const Tensor& tensor, std::size_t begin, std::size_t count) {
  return take_rows(tensor.view(), begin, count);
}

}  // namespace braid
