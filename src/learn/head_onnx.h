#pragma once
// A head as an ONNX model that serves: inputs `<part>.embedding` FP32 [-1, width] and
// `<part>.present` FP32 [-1, 1], output `logits` FP32 [-1, classes]; metadata `braid.space.<part>`.
// Threads: pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "learn/head.h"

namespace braid {

struct HeadPartName {
  std::string branch;
  std::string space;
  bool may_be_missing_cells = false;  // NaN in the embedding stands for a missing value
};

/// `names` are those of the head's parts. The bytes of model.onnx.
Result<std::string> write_head(const Head& head, const std::vector<HeadPartName>& names);

}  // namespace braid
