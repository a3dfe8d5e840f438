#pragma once
// TensorSpec: what a preprocessor gives or a model takes, before any number is there.

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace braid {

struct TensorSpec {
  std::string name;
  DType dtype = DType::kFp32;
  std::vector<std::int64_t> shape;  // with the batch axis; -1 where it varies
  bool optional = false;            // a model runs without it
};

/// "image FP32 [-1, 3, 224, 224]".
std::string to_string(const TensorSpec& spec);

/// kInvalidArgument, naming both, when dtype, rank or a fixed extent differs.
Result<void> check_fits(const TensorSpec& spec, const TensorView& view);

/// Whether some shape satisfies both: each pair of extents is equal or has a -1.
bool compatible(const TensorSpec& left, const TensorSpec& right);

}  // namespace braid
