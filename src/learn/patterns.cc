#include "learn/patterns.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kPatternsMax = 512;
constexpr std::size_t kRowsMin = 24;  // to fit a handful of weights on

std::size_t absences(const Pattern& pattern) {
  return static_cast<std::size_t>(
      std::ranges::count(pattern, false, &std::optional<std::size_t>::has_value));
}

void find_branches(const PipelineConfig& config, const std::string& name,
                   std::set<std::string>& found) {
  const NodeConfig* node = config.node(name);
  if (node == nullptr) {
    found.insert(name);
    return;
  }
  for (const std::string& input : node->inputs) {
    find_branches(config, input, found);
  }
}

}  // namespace

Result<std::vector<Pattern>> all_patterns(const Pipeline& pipeline) {
  std::vector<Pattern> patterns = {{}};
  for (const Branch& branch : pipeline.branches) {
    std::vector<Pattern> longer;
    for (const Pattern& begun : patterns) {
      for (std::size_t v = 0; v <= branch.variants.size(); ++v) {
        longer.push_back(begun);
        longer.back().push_back(v < branch.variants.size() ? std::optional(v) : std::nullopt);
      }
    }
    patterns = std::move(longer);
    if (patterns.size() > kPatternsMax) {
      return Error{Code::kExhausted,
                   fmt::format("the variants combine to more than {} patterns; list fewer variants "
                               "or branches",
                               kPatternsMax)};
    }
  }
  std::erase_if(patterns,
                [](const Pattern& pattern) { return absences(pattern) == pattern.size(); });
  std::ranges::stable_sort(patterns, std::ranges::greater(), absences);
  return patterns;
}

Pattern reference_pattern(const Pipeline& pipeline) {
  return Pattern(pipeline.branches.size(), std::size_t{0});
}

bool is_first_of_spaces(const Pipeline& pipeline, const Pattern& pattern) {
  for (std::size_t b = 0; b < pattern.size(); ++b) {
    const std::vector<Variant>& variants = pipeline.branches[b].variants;
    for (std::size_t v = 0; pattern[b].has_value() && v < *pattern[b]; ++v) {
      if (variants[v].config.space == variants[*pattern[b]].config.space) {
        return false;
      }
    }
  }
  return true;
}

std::map<std::string, std::string> spaces_below(const Pipeline& pipeline, const std::string& name,
                                                const Pattern& pattern) {
  std::set<std::string> below;
  find_branches(pipeline.config, name, below);
  std::map<std::string, std::string> spaces;
  for (std::size_t b = 0; b < pattern.size(); ++b) {
    const Branch& branch = pipeline.branches[b];
    if (below.contains(branch.config.name)) {
      spaces[branch.config.name] =
          pattern[b].has_value() ? branch.variants[*pattern[b]].config.space : "";
    }
  }
  return spaces;
}

Pattern in_row(const Pattern& pattern, const EmbeddedRows& embedded, std::size_t row_index) {
  Pattern left = pattern;
  for (std::size_t b = 0; b < pattern.size(); ++b) {
    if (pattern[b].has_value() && !embedded[b][*pattern[b]].present[row_index]) {
      left[b].reset();
    }
  }
  return left;
}

PatternRows rows_for(const Pipeline& pipeline, const Pattern& pattern, const EmbeddedRows& embedded,
                     const FitData& data) {
  PatternRows rows;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (in_row(pattern, embedded, i) == pattern) {
      rows.indices.push_back(i);
    }
  }
  if (rows.indices.size() >= std::max(kRowsMin, 2 * pipeline.config.classes.size())) {
    return rows;
  }
  rows.indices.clear();
  if (absences(pattern) == 0) {
    rows.are_all = true;
    rows.indices.resize(data.row_count());
    std::iota(rows.indices.begin(), rows.indices.end(), std::size_t{0});
  }
  return rows;
}

}  // namespace braid
