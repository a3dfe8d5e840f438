#pragma once
// Lanes: eight numbers that one instruction works on, each of another frame of a sound. What is
// done to one frame is done to eight; no lane ever sees its neighbour. Threads: values.

#include <cstddef>

namespace braid {

constexpr std::size_t kLanes = 8;

/// Handed on by reference only: by value, its calling convention would differ between CPUs. Aligned
/// by us: a vector's own alignment is 16 where AVX2 is off and 32 in the functions for AVX2.
struct alignas(32) Lanes {
  using Vector [[gnu::vector_size(32)]] = float;
  Vector v = {};
};

}  // namespace braid
