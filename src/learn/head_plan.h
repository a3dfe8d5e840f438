#pragma once
// Which heads a fit makes: for each node that is a head, one for each combination of the spaces of
// its branches, since a head fits the embeddings that it was fitted on and no others.
// Threads: pure.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/fit_setup.h"

namespace braid {

/// One combination of the spaces of a node's branches.
struct HeadPlan {
  std::size_t node_index = 0;
  std::string model;                  // its name in the repository
  std::vector<std::size_t> branches;  // one for each of the node's inputs
  std::vector<std::string> spaces;    // likewise
};

/// In the order of the nodes, and of the variants within each: the first that fits the spaces at
/// hand is used when serving. kExhausted when there would be more than 256.
Result<std::vector<HeadPlan>> plan_heads(const FitSetup& setup);

}  // namespace braid
