#pragma once
// Pattern: which variant of each branch speaks, if any: a plan as the fit sees it, or what is left
// of one when inputs are missing.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "serve/pipeline.h"

namespace braid {

using Pattern = std::vector<std::optional<std::size_t>>;  // branch → variant

/// Every pattern with at least one branch, those with most absent branches first. kExhausted beyond
/// 512.
Result<std::vector<Pattern>> all_patterns(const Pipeline& pipeline);

/// The first variant of every branch: variants are listed best first, so other patterns are
/// measured against this one.
Pattern reference_pattern(const Pipeline& pipeline);

/// Whether every variant is the first of its space: the one that heads were fitted on.
bool is_first_of_spaces(const Pipeline& pipeline, const Pattern& pattern);

/// Branch → space for the branches below a branch or node; "" for one that the pattern lacks.
std::map<std::string, std::string> spaces_below(const Pipeline& pipeline, const std::string& name,
                                                const Pattern& pattern);

/// What is left of the pattern in a row that lacks some inputs.
Pattern in_row(const Pattern& pattern, const EmbeddedRows& embedded, std::size_t row_index);

/// The rows to fit a pattern on: those that have all its branches, more or not. When they are too
/// few to fit on, none; a pattern without absences then takes all rows as they are.
struct PatternRows {
  std::vector<std::size_t> indices;
  bool are_all = false;
};
PatternRows rows_for(const Pipeline& pipeline, const Pattern& pattern, const EmbeddedRows& embedded,
                     const FitData& data);

}  // namespace braid
