#pragma once
// Tensors in bytes, as the binary tensor extension has them: little-endian, row-major, packed; an
// element of BYTES is a 4-byte length and that many bytes.

#include <span>
#include <string>

#include "base/bytes.h"
#include "tensor/tensor.h"

namespace braid {

/// The size must be exact, and so must every length within BYTES. BOOL is 0 or 1.
Result<Tensor> tensor_from_bytes(Bytes bytes, DType dtype, std::span<const std::size_t> shape);

std::size_t framed_size(const TensorView& view);
void append_bytes(const TensorView& view, std::string& out);

}  // namespace braid
