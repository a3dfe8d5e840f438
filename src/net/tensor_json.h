#pragma once
// Tensors in JSON, as the Open Inference Protocol has them: a list of values, flat or nested as the
// shape says. Nothing is coerced: what does not fit its type is refused by value and place.

#include <span>
#include <string>

#include "net/padded.h"
#include "tensor/tensor.h"

namespace braid {

/// Elements of a BYTES tensor that one request may send; each costs a string of its own.
inline constexpr std::size_t kBytesElementsMax = std::size_t{1} << 20;

/// `list` is one JSON list. kInvalidArgument names the element; FP16 and BF16 have no JSON form.
Result<Tensor> tensor_from_json(PaddedText list, DType dtype, std::span<const std::size_t> shape);

/// Appends a flat list. kInvalidArgument for FP16, BF16, NaN, infinities and bytes that are not
/// UTF-8: JSON cannot say them, binary output can.
Result<void> append_json(const TensorView& view, std::string& out);

}  // namespace braid
