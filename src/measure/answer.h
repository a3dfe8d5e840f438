#pragma once
// Answer: what a classifier said of one labelled case; what every score is computed from.

#include <cstddef>
#include <span>
#include <vector>

namespace braid {

struct Answer {
  std::size_t truth = 0;                   // index of the right class
  std::vector<double> probabilities = {};  // one a class; they sum to 1
  bool answered = true;                    // false: the request failed, which is never right

  std::size_t label() const;  // the most probable class, the first of equals
  bool correct() const { return answered && label() == truth; }
  double confidence() const { return probabilities[label()]; }
};

using Answers = std::span<const Answer>;

}  // namespace braid
