#include "serve/dispatch_bucket.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace braid {
namespace {

// The mixing step of a multiplicative hash; the constant is 2^64 over the golden ratio, made odd.
std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

}  // namespace

DispatchBucket::DispatchBucket(const NamedTensors& inputs) {
  for (const auto& [name, tensor] : inputs) {
    inputs_.push_back({name, tensor.dtype(), {tensor.shape().begin() + 1, tensor.shape().end()}});
  }
}

bool DispatchBucket::holds(const NamedTensors& inputs) const {
  return std::ranges::equal(inputs_, inputs, [](const Input& ours, const NamedTensor& theirs) {
    const Shape& shape = theirs.tensor.shape();
    return ours.name == theirs.name && ours.dtype == theirs.tensor.dtype() &&
           std::equal(ours.extents.begin(), ours.extents.end(), shape.begin() + 1, shape.end());
  });
}

std::size_t DispatchBucket::hash(const NamedTensors& inputs) {
  std::size_t hash = inputs.size();
  for (const auto& [name, tensor] : inputs) {
    hash = mix(hash, std::hash<std::string_view>()(name));
    hash = mix(hash, static_cast<std::size_t>(tensor.dtype()));
    for (std::size_t axis = 1; axis < tensor.shape().size(); ++axis) {
      hash = mix(hash, tensor.shape()[axis]);
    }
  }
  return hash;
}

}  // namespace braid
