#pragma once
// classify: the classification extension: the highest values of an output, with index and label, in
// place of its numbers.

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"
#include "tensor/tensor.h"

namespace braid {

/// BYTES [rows, count] of "value:index" or "value:index:label", highest first, equals by index. The
/// last axis holds the classes, all before it are rows; `count` is at most the classes that there
/// are. kInvalidArgument for BYTES, BOOL, FP16 and BF16, which have no order here.
Result<Tensor> classified(const Tensor& values, std::size_t count,
                          std::span<const std::string> labels);

}  // namespace braid
