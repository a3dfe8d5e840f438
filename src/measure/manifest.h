#pragma once
// Manifest: a CSV of labelled cases: id, split, group, label, optionally sequence, order, query and
// weight, then one column an input. Files are checked when the manifest is read, and loaded case by
// case, so that a manifest may be larger than memory.
// Threads: constant once read.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "measure/cell.h"

namespace braid {

struct ManifestRow {
  std::size_t line = 0;  // where it begins, from 1
  std::string id;
  std::string split;
  std::string group;  // cases of one group stay on one side of a split; the id where none is given
  std::string label;
  double weight = 1;
  std::string sequence;                              // a dialogue or series; "" where none is given
  std::optional<std::int64_t> order;                 // place in its sequence
  std::string query;                                 // cases of one query are ranked together
  std::vector<std::pair<std::string, Cell>> inputs;  // every input column, in order
};

struct Manifest {
  std::filesystem::path file;
  std::string digest = {};               // SHA-256 of the file
  std::vector<std::string> inputs = {};  // names of the input columns, in order
  std::vector<ManifestRow> rows = {};
  std::vector<Error> skipped = {};  // one for each bad row that was left out
};

struct ManifestOptions {
  bool skip_bad = false;                        // leave bad rows out instead of failing
  std::size_t size_max = std::size_t{1} << 30;  // in bytes: the CSV is held whole
};

/// kInvalidArgument names the file, the line and the cure: of a missing or repeated column, an id
/// that comes twice (never skipped, since nobody can say which row is right), or the first bad row:
/// cells that are too few or too many, no id, a weight or order that is no number, a cell whose
/// file is not there or not a regular one, an array that has no such row.
Result<Manifest> read_manifest(const std::filesystem::path& file,
                               const ManifestOptions& options = {});

/// Rows of that split, in order. kNotFound lists the splits that there are.
Result<std::vector<const ManifestRow*>> rows_of_split(const Manifest& manifest,
                                                      const std::string& split);

}  // namespace braid
