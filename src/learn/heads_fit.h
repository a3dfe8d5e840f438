#pragma once
// The heads of a fit: which there are, what they are on all rows, and what they say of rows that
// they did not see. A head is linear, so its parts' shares of the logits are kept apart: whatever
// combination of inputs is present, its logits are a sum of what is here.
// Threads: fit_heads() uses as many as it is told; what it gives does not depend on how many.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"
#include "learn/head.h"
#include "learn/head_plan.h"
#include "learn/patterns.h"

namespace braid {

struct FittedHead {
  HeadPlan plan;
  Head head;  // fitted on all rows
  double temperature = 1;
  /// Out of fold: for each part, for each variant of its branch that writes into its space, its
  /// share of the logits [n, classes].
  std::vector<std::map<std::size_t, Matrix>> shares;
  Matrix bias;  // likewise what every row gets
};

/// kCancelled when the context says so.
Result<std::vector<FittedHead>> fit_heads(const std::vector<HeadPlan>& plans, const FitSetup& setup,
                                          const FitData& data, const EmbeddedRows& embedded,
                                          const FitContext& context);

/// Out-of-fold logits [n, classes] where branch b says what its variant `pattern[b]` says; a branch
/// without one is absent. `present` tells which rows have any part.
struct HeadSaid {
  Matrix logits;
  std::vector<bool> present;
};
HeadSaid head_says(const FittedHead& head, const Pattern& pattern, const EmbeddedRows& embedded);

}  // namespace braid
