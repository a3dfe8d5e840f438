#include "modality/table/columns.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"

namespace braid {
namespace {

constexpr std::size_t kSchemaBytesMax = std::size_t{16} << 20;

Result<TableColumn> read_column(const Yaml& from, const std::filesystem::path& folder) {
  if (from.kind() == Yaml::Kind::kText) {
    return TableColumn{from.text()};
  }
  const Settings settings(from, folder);
  TableColumn column;
  BRAID_TRY(column.name, settings.text("name"));
  BRAID_TRY(column.categories, settings.texts("categories", {}));
  const char* likely = column.categorical() ? "categorical" : "numeric";
  BRAID_TRY(const std::string type, settings.choice("type", {"numeric", "categorical"}, likely));
  BRAID_TRY_DO(settings.finish());
  if (type == "categorical" && !column.categorical()) {
    return from.error(
        fmt::format("column '{}' needs its categories, in the order of their codes", column.name));
  }
  if (type == "numeric" && column.categorical()) {
    return from.error(fmt::format("column '{}' is numeric, so it has no categories", column.name));
  }
  const std::set<std::string> distinct(column.categories.begin(), column.categories.end());
  if (distinct.size() != column.categories.size() || distinct.contains("")) {
    return from.error(
        fmt::format("the categories of column '{}' must differ and not be empty", column.name));
  }
  return column;
}

Result<std::vector<TableColumn>> read_list(const Yaml& list, const std::filesystem::path& folder) {
  if (list.kind() != Yaml::Kind::kList || list.items().empty()) {
    return list.error("columns: a list of at least one column is wanted here");
  }
  std::vector<TableColumn> columns;
  std::set<std::string> names;
  for (const Yaml& item : list.items()) {
    BRAID_TRY(TableColumn column, read_column(item, folder));
    if (column.name.empty() || !names.insert(column.name).second) {
      return item.error(
          fmt::format("column '{}': names must differ and not be empty", column.name));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Read as YAML, which holds JSON and knows lines. JSON's escaped surrogate pairs are the one
/// thing that YAML lacks, so a text with those is rewritten first, and its lines are lost.
Result<Yaml> read_schema(const std::filesystem::path& file) {
  BRAID_TRY(const std::string text, read_file(file, kSchemaBytesMax));
  BRAID_TRY(const Json json, Json::parse(text).within(file.string()));
  Result<Yaml> yaml = Yaml::parse(text, file.string());
  return yaml.has_value() ? std::move(yaml) : Yaml::parse(json.dump(), file.string());
}

}  // namespace

Result<std::vector<TableColumn>> read_columns(const Settings& settings) {
  const Yaml* listed = settings.find("columns");
  const bool has_file = settings.find("schema") != nullptr;
  if (has_file == (listed != nullptr)) {
    return settings.yaml().error(
        "a table needs either 'schema' (a JSON file) or 'columns', and not both");
  }
  if (listed != nullptr) {
    return read_list(*listed, settings.folder());
  }
  BRAID_TRY(const std::filesystem::path file, settings.file("schema"));
  BRAID_TRY(const Yaml schema, read_schema(file));
  const Yaml* columns = schema.find("columns");
  if (columns == nullptr) {
    return schema.error("'columns' is missing here");
  }
  return read_list(*columns, file.parent_path());
}

}  // namespace braid
