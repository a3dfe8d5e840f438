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

/// Extents as the bucket sees them: axis 1 of what may be padded is its bucket's length.
class Extents {
 public:
  Extents(const NamedTensors& inputs, const Padding& padding)
      : padding_(padding), length_(padding.allowed() ? padded_length(padding, inputs) : 0) {}

  std::size_t of(const NamedTensor& input, std::size_t axis) const {
    const bool is_length = axis == 1 && length_ > 0 &&
                           std::ranges::find(padding_.inputs, input.name) != padding_.inputs.end();
    return is_length ? bucket_length(length_) : input.tensor.shape()[axis];
  }

 private:
  const Padding& padding_;
  const std::size_t length_;
};

}  // namespace

DispatchBucket::DispatchBucket(const NamedTensors& inputs, const Padding& padding) {
  const Extents extents(inputs, padding);
  for (const NamedTensor& input : inputs) {
    Input ours{input.name, input.tensor.dtype(), {}};
    for (std::size_t axis = 1; axis < input.tensor.shape().size(); ++axis) {
      ours.extents.push_back(extents.of(input, axis));
    }
    inputs_.push_back(std::move(ours));
  }
}

bool DispatchBucket::holds(const NamedTensors& inputs, const Padding& padding) const {
  const Extents extents(inputs, padding);
  return std::ranges::equal(inputs_, inputs, [&](const Input& ours, const NamedTensor& theirs) {
    bool same = ours.name == theirs.name && ours.dtype == theirs.tensor.dtype() &&
                ours.extents.size() + 1 == theirs.tensor.shape().size();
    for (std::size_t axis = 1; same && axis < theirs.tensor.shape().size(); ++axis) {
      same = ours.extents[axis - 1] == extents.of(theirs, axis);
    }
    return same;
  });
}

std::size_t DispatchBucket::hash(const NamedTensors& inputs, const Padding& padding) {
  const Extents extents(inputs, padding);
  std::size_t hash = inputs.size();
  for (const NamedTensor& input : inputs) {
    hash = mix(hash, std::hash<std::string_view>()(input.name));
    hash = mix(hash, static_cast<std::size_t>(input.tensor.dtype()));
    for (std::size_t axis = 1; axis < input.tensor.shape().size(); ++axis) {
      hash = mix(hash, extents.of(input, axis));
    }
  }
  return hash;
}

}  // namespace braid
