#pragma once
// Grid: features of a sound, one row a band or coefficient, one column a frame. Threads: a value.

#include <cstddef>
#include <span>
#include <vector>

namespace braid {

struct Grid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values = {};  // row after row

  std::span<float> row(std::size_t index) {
    return std::span(values).subspan(index * columns, columns);
  }
  std::span<const float> row(std::size_t index) const {
    return std::span(values).subspan(index * columns, columns);
  }
};

}  // namespace braid
