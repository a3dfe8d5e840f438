#pragma once
// Cells: the values of one record, put in the order of the columns and checked against them. What
// a cell becomes in a tensor is decided in preprocessors/table.cc. Threads: pure functions.

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "modality/table/columns.h"

namespace braid {

/// What counts as missing, and what is refused.
struct CellRules {
  std::vector<double> missing_numbers = {};  // besides null, "" and what is absent
  std::unordered_set<std::string> missing_texts = {};
  bool missing_refused = false;
  bool unknown_refused = false;  // a category that the column does not list
  bool extra_ignored = false;    // a key that no column has
};

struct RecordCell {
  /// A number, or the index of a category; NaN when missing or unknown.
  float value = std::numeric_limits<float>::quiet_NaN();
  bool unknown = false;
};

class RecordReader {
 public:
  RecordReader(std::vector<TableColumn> columns, CellRules rules);

  /// `record` is a map by column name, a list in column order, or a list of one such. As many
  /// cells as columns. kInvalidArgument names the column or the key, and for a list of another
  /// width both numbers.
  Result<std::vector<RecordCell>> read(const Json& record) const;

  const std::vector<TableColumn>& columns() const { return columns_; }

 private:
  Result<std::vector<const Json*>> in_order(const Json& record) const;
  Result<std::vector<const Json*>> values_of(const Json::Map& map) const;
  Result<RecordCell> cell(std::size_t column_index, const Json* value) const;
  Result<RecordCell> number_cell(const TableColumn& column, const Json& value) const;
  Result<RecordCell> category_cell(std::size_t column_index, const Json& value) const;
  bool is_missing(const Json& value) const;
  Error unknown_key(const std::string& key) const;

  std::vector<TableColumn> columns_;
  CellRules rules_;
  std::unordered_map<std::string, std::size_t> column_of_name_;
  std::vector<std::unordered_map<std::string, std::size_t>> code_of_category_;  // by column
};

}  // namespace braid
