#pragma once
// TableColumn: what one column of a record is called and holds, from the pipeline's `columns` or
// from a schema file of the same form. Threads: values.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"

namespace braid {

struct TableColumn {
  std::string name;
  std::vector<std::string> categories = {};  // in the order of their codes; empty for numbers

  bool categorical() const { return !categories.empty(); }
};

/// Exactly one of `schema` (a JSON file, {"columns": […]}) and `columns` must be there. A column is
/// {name, type: numeric|categorical, categories}, or only the name of a numeric one.
/// Errors name the file and, where it is known, the line.
Result<std::vector<TableColumn>> read_columns(const Settings& settings);

}  // namespace braid
