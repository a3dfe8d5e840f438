#include "measure/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/csv.h"
#include "base/digest.h"
#include "base/file.h"

namespace braid {
namespace {

constexpr std::array kRequired = {"id", "split", "group", "label"};
constexpr std::array kOptional = {"sequence", "order", "query", "weight"};

template <typename Number>
bool parse_number(std::string_view text, Number& into) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), into);
  return failure == std::errc() && end == text.data() + text.size();
}

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

/// Which column holds what.
struct Columns {
  std::map<std::string, std::size_t, std::less<>> known;  // required and optional ones
  std::vector<std::pair<std::string, std::size_t>> inputs;
  std::size_t count = 0;

  static Result<Columns> of(const CsvRow& header) {
    Columns columns;
    columns.count = header.cells.size();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      const std::string& name = header.cells[i];
      if (name.empty() || !seen.insert(name).second) {
        return wrong(name.empty() ? fmt::format("column {} has no name", i + 1)
                                  : fmt::format("column '{}' comes twice; keep one", name));
      }
      const bool is_known =
          std::ranges::count(kRequired, name) + std::ranges::count(kOptional, name);
      if (is_known) {
        columns.known[name] = i;
      } else {
        columns.inputs.emplace_back(name, i);
      }
    }
    for (const char* name : kRequired) {
      if (!columns.known.contains(name)) {
        return wrong(fmt::format("column '{}' is missing; the first row names the columns: {}, …",
                                 name, fmt::join(kRequired, ", ")));
      }
    }
    return columns;
  }

  std::string cell(const CsvRow& row, std::string_view name) const {
    const auto found = known.find(name);
    return found == known.end() ? std::string() : row.cells[found->second];
  }
};

class RowReader {
 public:
  RowReader(Columns columns, std::filesystem::path folder)
      : columns_(std::move(columns)), cells_(std::move(folder)) {}

  Result<ManifestRow> read(const CsvRow& csv) {
    if (csv.cells.size() != columns_.count) {
      return wrong(fmt::format("{} cells where the header has {}; quote cells that hold commas",
                               csv.cells.size(), columns_.count));
    }
    ManifestRow row;
    row.line = csv.line;
    row.id = columns_.cell(csv, "id");
    row.split = columns_.cell(csv, "split");
    row.label = columns_.cell(csv, "label");
    row.sequence = columns_.cell(csv, "sequence");
    row.query = columns_.cell(csv, "query");
    const std::string group = columns_.cell(csv, "group");
    row.group = group.empty() ? row.id : group;
    if (row.id.empty()) {
      return wrong("the id is empty");
    }
    BRAID_TRY(row.weight, weight(csv));
    BRAID_TRY(row.order, order(csv));
    for (const auto& [name, index] : columns_.inputs) {
      BRAID_TRY(Cell cell, cells_.read(csv.cells[index]).within(fmt::format("input '{}'", name)));
      row.inputs.emplace_back(name, std::move(cell));
    }
    return row;
  }

 private:
  Result<double> weight(const CsvRow& csv) const {
    const std::string text = columns_.cell(csv, "weight");
    double weight = 1;
    if (!text.empty() && (!parse_number(text, weight) || !std::isfinite(weight) || weight < 0)) {
      return wrong(fmt::format("weight '{}' is not a number from 0", text));
    }
    return weight;
  }

  Result<std::optional<std::int64_t>> order(const CsvRow& csv) const {
    const std::string text = columns_.cell(csv, "order");
    std::int64_t order = 0;
    if (text.empty()) {
      return std::optional<std::int64_t>();
    }
    if (!parse_number(text, order)) {
      return wrong(fmt::format("order '{}' is not a whole number", text));
    }
    return std::optional(order);
  }

  const Columns columns_;
  CellReader cells_;
};

Result<Manifest> parse_manifest(const std::string& text, const std::filesystem::path& file,
                                const ManifestOptions& options) {
  BRAID_TRY(const std::vector<CsvRow> lines, parse_csv(text));
  if (lines.empty()) {
    return wrong(
        fmt::format("empty; the first row names the columns: {}, …", fmt::join(kRequired, ", ")));
  }
  const auto place = [](const CsvRow& row) { return fmt::format("line {}", row.line); };
  BRAID_TRY(Columns columns, Columns::of(lines.front()).within(place(lines.front())));
  Manifest manifest{.file = file, .digest = sha256(text)};
  for (const auto& [name, index] : columns.inputs) {
    manifest.inputs.push_back(name);
  }
  RowReader reader(std::move(columns), file.parent_path());
  std::map<std::string, std::size_t> line_of_id;
  for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
    Result<ManifestRow> row = reader.read(*line).within(place(*line));
    if (!row.has_value() && options.skip_bad) {
      manifest.skipped.push_back(std::move(row).error());
      continue;
    }
    BRAID_TRY(ManifestRow good, std::move(row));
    const auto [known, is_new] = line_of_id.emplace(good.id, good.line);
    if (!is_new) {
      return wrong(fmt::format("line {}: id '{}' is also that of line {}; ids name one case each",
                               good.line, good.id, known->second));
    }
    manifest.rows.push_back(std::move(good));
  }
  return manifest;
}

}  // namespace

Result<Manifest> read_manifest(const std::filesystem::path& file, const ManifestOptions& options) {
  BRAID_TRY(const std::string text, read_file(file, options.size_max).within("manifest"));
  return parse_manifest(text, file, options).within(file.string());
}

Result<std::vector<const ManifestRow*>> rows_of_split(const Manifest& manifest,
                                                      const std::string& split) {
  std::vector<const ManifestRow*> rows;
  std::set<std::string> splits;
  for (const ManifestRow& row : manifest.rows) {
    splits.insert(row.split);
    if (row.split == split) {
      rows.push_back(&row);
    }
  }
  if (rows.empty()) {
    return Error{Code::kNotFound,
                 fmt::format("{}: no row of split '{}'; there are: {}", manifest.file.string(),
                             split, fmt::join(splits, ", "))};
  }
  return rows;
}

}  // namespace braid
