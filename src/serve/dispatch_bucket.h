#pragma once
// DispatchBucket: what jobs must share so that their rows can be joined: names, types and extents
// beyond axis 0 of their inputs, in order. An optional input that only one job has keeps it apart.

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace braid {

class DispatchBucket {
 public:
  explicit DispatchBucket(const NamedTensors& inputs);

  bool holds(const NamedTensors& inputs) const;
  /// Equal for all inputs of one bucket.
  static std::size_t hash(const NamedTensors& inputs);

 private:
  struct Input {
    std::string name;
    DType dtype;
    Shape extents;  // without axis 0
  };
  std::vector<Input> inputs_;
};

}  // namespace braid
