#pragma once
// Numbers of a tensor for people: what is in it, whatever its type. Threads: pure functions.

#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace braid {

/// In double, row-major. Nothing for byte strings and for the half-precision types, which are only
/// carried.
std::optional<std::vector<double>> numbers_of(const TensorView& view);

struct NumberFacts {
  double min = 0;  // these four of what is no NaN; 0 when there is nothing else
  double max = 0;
  double mean = 0;
  double std = 0;
  double nan_share = 0;
};

/// `numbers` is not empty.
NumberFacts facts_of(const std::vector<double>& numbers);

}  // namespace braid
