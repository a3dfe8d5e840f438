// The forms of a series, CSV and three of JSON, to a SampleCollector.

#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/yaml.h"
#include "modality/series/cells.h"

namespace braid {
namespace {

constexpr std::size_t kQuotedMax = 40;

std::string in_quotes(std::string_view text) { return json_quoted(text.substr(0, kQuotedMax)); }

/// Where each named column goes.
class Columns {
 public:
  static constexpr std::size_t kTime = static_cast<std::size_t>(-1);

  explicit Columns(const ReaderOptions& options) {
    for (std::size_t i = 0; i < options.channels.size(); ++i) {
      index_of_.emplace(options.channels[i], i);
    }
    if (!options.time.empty()) {
      index_of_.emplace(options.time, kTime);
    }
  }

  /// A channel's index or kTime; nothing for a name that nobody asked for.
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = index_of_.find(name);
    return found == index_of_.end() ? std::nullopt : std::optional(found->second);
  }

  std::size_t count() const { return index_of_.size(); }

  Error unknown(std::string_view name) const {
    return Error{Code::kInvalidArgument,
                 fmt::format("the series has a column {} that no channel asks for; 'extra: ignore' "
                             "leaves it out",
                             in_quotes(name))};
  }

 private:
  std::unordered_map<std::string, std::size_t> index_of_;
};

Error missing(const std::string& name) {
  return Error{Code::kInvalidArgument, fmt::format("the series has no column {}", in_quotes(name))};
}

/// kInvalidArgument for the first that is wanted and not among `seen`.
Result<void> check_all_seen(const ReaderOptions& options, const std::set<std::size_t>& seen) {
  if (!options.time.empty() && !seen.contains(Columns::kTime)) {
    return missing(options.time);
  }
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    if (!seen.contains(i)) {
      return missing(options.channels[i]);
    }
  }
  return {};
}

Result<void> collect_columns(const Json::Map& map, const ReaderOptions& options,
                             SampleCollector& collector) {
  const Columns columns(options);
  std::set<std::size_t> seen;
  for (const auto& [name, values] : map) {
    const auto column = columns.find(name);
    if (!column.has_value()) {
      if (!options.extra_ignored) {
        return columns.unknown(name);
      }
      continue;
    }
    if (values.list() == nullptr) {
      return Error{Code::kInvalidArgument, fmt::format("column {} of the series is {}, not a list",
                                                       in_quotes(name), values.kind())};
    }
    seen.insert(*column);
    for (const Json& value : *values.list()) {
      BRAID_TRY_DO(*column == Columns::kTime ? collector.add_time(value)
                                             : collector.add_value(*column, value));
    }
  }
  return check_all_seen(options, seen);
}

/// A record may leave a channel out: that is a gap.
Result<void> collect_record(const Json::Map& record, const Columns& columns,
                            const ReaderOptions& options, SampleCollector& collector) {
  std::vector<bool> seen(options.channels.size());
  bool has_time = options.time.empty();
  for (const auto& [name, value] : record) {
    const auto column = columns.find(name);
    if (!column.has_value()) {
      if (!options.extra_ignored) {
        return columns.unknown(name);
      }
      continue;
    }
    if (*column == Columns::kTime) {
      has_time = true;
      BRAID_TRY_DO(collector.add_time(value));
      continue;
    }
    seen[*column] = true;
    BRAID_TRY_DO(collector.add_value(*column, value));
  }
  if (!has_time) {
    return missing(options.time);
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) {
      collector.add_gap(i);
    }
  }
  return {};
}

Result<void> collect_row(const Json::List& row, const ReaderOptions& options,
                         SampleCollector& collector) {
  const std::size_t first = options.time.empty() ? 0 : 1;
  if (row.size() != first + options.channels.size()) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("a row has {} values, {} are wanted: {}the channels in order", row.size(),
                    first + options.channels.size(), first == 1 ? "the time and " : "")};
  }
  if (first == 1) {
    BRAID_TRY_DO(collector.add_time(row.front()));
  }
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    BRAID_TRY_DO(collector.add_value(i, row[first + i]));
  }
  return {};
}

}  // namespace

Result<void> collect_json(const Json& json, const ReaderOptions& options,
                          SampleCollector& collector) {
  if (json.map() != nullptr) {
    return collect_columns(*json.map(), options, collector);
  }
  const Columns columns(options);
  std::size_t number = 0;
  for (const Json& item : *json.list()) {
    ++number;
    const bool is_alone = options.channels.size() == 1 && options.time.empty();
    Result<void> added;
    if (item.map() != nullptr) {
      added = collect_record(*item.map(), columns, options, collector);
    } else if (item.list() != nullptr) {
      added = collect_row(*item.list(), options, collector);
    } else if (is_alone) {
      added = collector.add_value(0, item);
    } else {
      added = Error{Code::kInvalidArgument,
                    fmt::format("{} came where a record or a row is wanted", item.kind())};
    }
    BRAID_TRY_DO(std::move(added).within(fmt::format("item {}", number)));
  }
  return {};
}

Result<void> collect_csv(const std::vector<CsvRow>& rows, const ReaderOptions& options,
                         SampleCollector& collector) {
  if (rows.empty()) {
    return Error{Code::kInvalidArgument, "the series has no row of names"};
  }
  const Columns columns(options);
  const std::vector<std::string>& names = rows.front().cells;
  std::vector<std::optional<std::size_t>> column_of;
  std::set<std::size_t> seen;
  for (const std::string& name : names) {
    const auto column = columns.find(name);
    if (!column.has_value() && !options.extra_ignored) {
      return columns.unknown(name);
    }
    if (column.has_value() && !seen.insert(*column).second) {
      return Error{Code::kInvalidArgument,
                   fmt::format("the series has two columns {}", in_quotes(name))};
    }
    column_of.push_back(column);
  }
  BRAID_TRY_DO(check_all_seen(options, seen));
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const CsvRow& row = rows[r];
    if (row.cells.size() != names.size()) {
      return Error{Code::kInvalidArgument, fmt::format("line {} has {} cells, the row of names {}",
                                                       row.line, row.cells.size(), names.size())};
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!column_of[i].has_value()) {
        continue;
      }
      const bool is_time = *column_of[i] == Columns::kTime;
      const std::string_view cell = row.cells[i];
      BRAID_TRY_DO((is_time ? collector.add_time(cell) : collector.add_value(*column_of[i], cell))
                       .within(fmt::format("line {}", row.line)));
    }
  }
  return {};
}

}  // namespace braid
