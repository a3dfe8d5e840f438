#pragma once
// DrainRules: how lines are cut and clustered, by the names of Drain3 and with its defaults where
// it has one. They travel inside the table of templates, so that lines are read as they were
// fitted.

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/yaml.h"
#include "modality/log/log_masks.h"

namespace braid {

struct DrainRules {
  static constexpr std::size_t kLineBytesMax = 16'384;  // a longer line is cut there
  static constexpr std::size_t kWordsMax = 512;         // and after so many words
  static constexpr std::size_t kClustersMax = 100'000;

  double sim_th = 0.4;    // share of words that a line has in common with its template
  std::size_t depth = 4;  // of the tree; 3: a line's length alone leads to its templates
  std::size_t max_children = 100;
  std::size_t max_clusters = 1024;            // beyond, the one not met for longest is forgotten
  bool parametrize_numeric_tokens = true;     // a word with a digit leads nowhere of its own
  std::vector<std::string> extra_delimiters;  // count as blanks
  LogMasks masks;

  /// From a map of settings; the caller finishes it.
  static Result<DrainRules> from(const Settings& settings);
  /// From what to_json() gave.
  static Result<DrainRules> from(const Json& json);
  Json to_json() const;

  /// Words that lead from the node of a length to the templates of that length.
  std::size_t path_length(std::size_t word_count) const;
};

}  // namespace braid
