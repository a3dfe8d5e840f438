#include "learn/fit_data.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "learn/folds.h"

namespace braid {
namespace {

Error row_error(const Manifest& manifest, const ManifestRow& row, const std::string& what) {
  return Error{Code::kInvalidArgument,
               fmt::format("{}:{}: row '{}' {}", manifest.file.string(), row.line, row.id, what)};
}

/// Those that FIT.yaml names, each of which must be there; else train and calibration, where there.
Result<std::vector<std::string>> splits_of(const Manifest& manifest, const FitConfig& config) {
  std::set<std::string> known;
  for (const ManifestRow& row : manifest.rows) {
    known.insert(row.split);
  }
  const std::vector<std::string>& asked = config.options.splits;
  std::vector<std::string> splits;
  for (const std::string& split :
       asked.empty() ? std::vector<std::string>{"train", "calibration"} : asked) {
    if (known.contains(split)) {
      splits.push_back(split);
    } else if (!asked.empty()) {
      return config.yaml->error(fmt::format("fit: splits: {} has no split '{}'; it has: {}",
                                            manifest.file.string(), split, fmt::join(known, ", ")));
    }
  }
  if (splits.empty()) {
    return config.yaml->error(fmt::format(
        "{} has no rows of split 'train'; it has: {}; name one: `fit: {{splits: [{}]}}`",
        manifest.file.string(), fmt::join(known, ", "), known.empty() ? "NAME" : *known.begin()));
  }
  return splits;
}

Result<void> add_labels(const Manifest& manifest, FitData& data) {
  if (data.classes.empty()) {
    std::set<std::string> labels;
    for (const ManifestRow* row : data.rows) {
      labels.insert(row->label);
    }
    data.classes.assign(labels.begin(), labels.end());
  }
  if (data.classes.size() < 2) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: the rows to fit on have {} class; at least two are wanted",
                             manifest.file.string(), data.classes.size())};
  }
  data.prior.assign(data.classes.size(), 0);
  for (const ManifestRow* row : data.rows) {
    const auto found = std::ranges::find(data.classes, row->label);
    if (row->label.empty() || found == data.classes.end()) {
      return row_error(
          manifest, *row,
          row->label.empty()
              ? "has no label; give it one or move it to another split"
              : fmt::format("is labelled '{}', which is no class of `decision:`", row->label));
    }
    data.labels.push_back(static_cast<std::size_t>(found - data.classes.begin()));
    data.weights.push_back(row->weight);
    data.groups.push_back(row->group);
    data.prior[data.labels.back()] += row->weight;
  }
  const double total = std::accumulate(data.prior.begin(), data.prior.end(), 0.0);
  for (double& share : data.prior) {
    share /= total;
  }
  return {};
}

}  // namespace

Result<FitData> select_rows(const Manifest& manifest, const FitConfig& config) {
  FitData data;
  data.classes = config.pipeline.classes;
  BRAID_TRY(data.splits, splits_of(manifest, config));
  for (const ManifestRow& row : manifest.rows) {
    if (std::ranges::find(data.splits, row.split) != data.splits.end() && row.weight > 0) {
      data.rows.push_back(&row);
    }
  }
  BRAID_TRY_DO(add_labels(manifest, data));
  const std::set<std::string> groups(data.groups.begin(), data.groups.end());
  if (groups.size() < 2 * config.options.folds) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: {} groups are too few for {} folds; add cases or give fewer "
                             "folds: `fit: {{folds: 2}}`",
                             manifest.file.string(), groups.size(), config.options.folds)};
  }
  data.folds =
      stratified_group_folds(data.labels, data.groups, config.options.folds, config.options.seed);
  return data;
}

}  // namespace braid
