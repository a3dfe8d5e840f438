#pragma once
// FusionFit: the parameters of a fusion tree for every combination of variants, with every
// combination of branches absent, each fitted on cases like that: a vote without the picture has
// weights and a temperature of its own, not those of a vote that misses its picture.
// Threads: fit_fusion() uses as many as it is told; what it gives does not depend on how many.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "fusion/fusion_op.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"
#include "learn/heads_fit.h"
#include "learn/vote.h"
#include "serve/fitted.h"

namespace braid {

/// What the pipeline says when each branch runs the variant that `pattern` names, or none.
struct PatternFit {
  Pattern pattern;
  bool from_all_rows = false;  // too few rows have every branch: fitted on rows as they are
  std::map<std::size_t, FittedEntry> entries;  // by node, for operators
  /// Out of fold and calibrated. Rows without all branches of the pattern are not present, unless
  /// from_all_rows.
  Member decision;
  std::vector<Member> nodes;  // likewise what each node says; of the reference pattern only
};

struct FusionFit {
  std::map<std::string, std::vector<FittedEntry>> branches;  // temperatures, as fitted.json has
  std::map<std::string, std::vector<FittedEntry>> nodes;     // likewise, most absences first
  std::vector<PatternFit> patterns;
};

/// kExhausted when the variants combine to more than 512 patterns.
Result<FusionFit> fit_fusion(const FitSetup& setup, const FitData& data,
                             const EmbeddedRows& embedded, const std::vector<FittedHead>& heads,
                             const Registry<FusionOp>& fusion_ops, const FitContext& context);

}  // namespace braid
