#pragma once
// FitData: the rows of a manifest that are fitted on, with classes, groups and inner folds.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/fit_config.h"
#include "measure/manifest.h"

namespace braid {

struct FitData {
  std::vector<const ManifestRow*> rows;  // of the manifest, which outlives this
  std::vector<std::string> splits;       // that they are from
  std::vector<std::string> classes;      // as FIT.yaml names them, else the labels in order
  std::vector<std::size_t> labels;       // the four below: one a row
  std::vector<double> weights;
  std::vector<std::string> groups;
  std::vector<std::size_t> folds;
  std::vector<double> prior;  // share of each class, by weight

  std::size_t row_count() const { return rows.size(); }
};

/// kInvalidArgument, with the manifest's line where there is one: no such split, a row without a
/// label or with one that is no class, fewer than two classes, fewer groups than folds.
Result<FitData> select_rows(const Manifest& manifest, const FitConfig& config);

}  // namespace braid
