#pragma once
// DispatchBucket: what jobs must share so that their rows can be joined: names, types and extents
// beyond axis 0 of their inputs, in order. An optional input that only one job has keeps it apart.
// Where the model's rows may be padded, lengths that share a bucket_length() are one.

#include <cstddef>
#include <string>
#include <vector>

#include "model/padding.h"
#include "tensor/tensor.h"

namespace braid {

class DispatchBucket {
 public:
  explicit DispatchBucket(const NamedTensors& inputs, const Padding& padding = {});

  bool holds(const NamedTensors& inputs, const Padding& padding = {}) const;
  /// Equal for all inputs of one bucket.
  static std::size_t hash(const NamedTensors& inputs, const Padding& padding = {});

 private:
  struct Input {
    std::string name;
    DType dtype;
    Shape extents;  // without axis 0
  };
  std::vector<Input> inputs_;
};

}  // namespace braid
