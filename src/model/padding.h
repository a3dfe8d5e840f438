#pragma once
// Padding: how rows of different lengths may share a run. A sequence model has a mask input that
// says which positions count; rows are filled up with zeros to the longest of the batch, the mask
// with them, and what comes out is cut to each row's own length.

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace braid {

struct ModelConfig;
struct ModelSpec;

/// The length is axis 1 of every tensor named here; all inputs of a job agree in it.
struct Padding {
  std::string mask;                  // empty: rows of different lengths do not share a run
  std::vector<std::string> inputs;   // the mask among them
  std::vector<std::string> outputs;  // those that have the length too

  bool allowed() const { return !mask.empty(); }
};

/// Allowed where rows can be joined and an input `attention_mask` of shape [-1, -1] is there, or
/// the one that the config's parameter `padding_mask` names; "none" forbids it.
Padding padding_of(const ModelSpec& spec, const ModelConfig& config);

/// Length of the job's rows; 0 where they cannot be padded: a tensor lacks or differs in axis 1.
std::size_t padded_length(const Padding& padding, const NamedTensors& inputs);

/// The longest row that shares a bucket with one of this length: the next multiple of 16, from 128
/// on of an eighth of the power of two below. At most 15 positions or an eighth are wasted.
std::size_t bucket_length(std::size_t length);

}  // namespace braid
