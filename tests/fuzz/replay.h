#pragma once
// The fuzz targets of one room; cmake/fuzzers.cmake generates the list.

#include <cstddef>
#include <cstdint>
#include <span>

namespace braid {

struct FuzzTarget {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

std::span<const FuzzTarget> fuzz_targets();

}  // namespace braid
