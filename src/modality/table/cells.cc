#include "modality/table/cells.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kQuotedMax = 64;  // bytes of a client's word that a message repeats

std::string in_quotes(const std::string& text) {
  return json_quoted(std::string_view(text).substr(0, kQuotedMax)) +
         (text.size() > kQuotedMax ? "…" : "");
}

/// Categories are compared by their text: a schema may list 3 or "3", a client may send either.
/// Null for a list or a map.
const std::string* text_of(const Json& value, std::string& owner) {
  if (value.text() != nullptr) {
    return value.text();
  }
  if (value.is_number() || value.boolean() != nullptr) {
    owner = value.dump();
    return &owner;
  }
  return nullptr;
}

}  // namespace

RecordReader::RecordReader(std::vector<TableColumn> columns, CellRules rules)
    : columns_(std::move(columns)), rules_(std::move(rules)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    column_of_name_.emplace(columns_[i].name, i);
    auto& codes = code_of_category_.emplace_back();
    for (const std::string& category : columns_[i].categories) {
      codes.emplace(category, codes.size());
    }
  }
}

Result<std::vector<RecordCell>> RecordReader::read(const Json& record) const {
  BRAID_TRY(const std::vector<const Json*> values, in_order(record));
  std::vector<RecordCell> cells;
  cells.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    BRAID_TRY(const RecordCell read, cell(i, values[i]));
    cells.push_back(read);
  }
  return cells;
}

Result<std::vector<const Json*>> RecordReader::in_order(const Json& record) const {
  if (record.map() != nullptr) {
    return values_of(*record.map());
  }
  const Json::List* list = record.list();
  if (list == nullptr) {
    return Error{Code::kInvalidArgument,
                 fmt::format("a record is a map or a list of values, but {} came", record.kind())};
  }
  const auto is_record = [](const Json& item) {
    return item.map() != nullptr || item.list() != nullptr;
  };
  if (list->size() == 1 && is_record(list->front())) {
    const Json& only = list->front();
    if (only.map() != nullptr) {
      return values_of(*only.map());
    }
    list = only.list();
  } else if (list->size() > 1 && std::ranges::all_of(*list, is_record)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} records came; send one a request", list->size())};
  }
  if (list->size() != columns_.size()) {
    return Error{Code::kInvalidArgument, fmt::format("the record has {} values, but the schema {} "
                                                     "columns",
                                                     list->size(), columns_.size())};
  }
  std::vector<const Json*> values;
  values.reserve(list->size());
  for (const Json& item : *list) {
    values.push_back(&item);
  }
  return values;
}

Result<std::vector<const Json*>> RecordReader::values_of(const Json::Map& map) const {
  std::vector<const Json*> values(columns_.size(), nullptr);
  std::size_t guess = 0;  // most records keep the order of the schema
  for (const auto& [key, value] : map) {
    if (guess >= columns_.size() || columns_[guess].name != key) {
      const auto found = column_of_name_.find(key);
      if (found == column_of_name_.end()) {
        if (rules_.extra_ignored) {
          continue;
        }
        return unknown_key(key);
      }
      guess = found->second;
    }
    values[guess++] = &value;
  }
  return values;
}

Error RecordReader::unknown_key(const std::string& key) const {
  // The distance to each name is as costly as the key is long, so no word is looked for behind a
  // key that nobody would have mistyped.
  std::string nearest;
  if (key.size() <= kQuotedMax) {
    std::set<std::string> names;
    for (const TableColumn& column : columns_) {
      names.insert(column.name);
    }
    nearest = nearest_word(key, names);
  }
  return Error{Code::kInvalidArgument,
               nearest.empty() ? fmt::format("the schema has no column {}", in_quotes(key))
                               : fmt::format("the schema has no column {}; did you mean {}?",
                                             in_quotes(key), in_quotes(nearest))};
}

bool RecordReader::is_missing(const Json& value) const {
  if (value.is_null()) {
    return true;
  }
  if (value.is_number()) {
    return std::ranges::find(rules_.missing_numbers, value.number()) !=
           rules_.missing_numbers.end();
  }
  const std::string* text = value.text();
  return text != nullptr && (text->empty() || rules_.missing_texts.contains(*text));
}

Result<RecordCell> RecordReader::cell(std::size_t column_index, const Json* value) const {
  const TableColumn& column = columns_[column_index];
  if (value == nullptr || is_missing(*value)) {
    if (rules_.missing_refused) {
      return Error{Code::kInvalidArgument,
                   fmt::format("column {} has no value; send one", in_quotes(column.name))};
    }
    return RecordCell{};
  }
  return column.categorical() ? category_cell(column_index, *value) : number_cell(column, *value);
}

Result<RecordCell> RecordReader::number_cell(const TableColumn& column, const Json& value) const {
  if (const bool* flag = value.boolean(); flag != nullptr) {
    return RecordCell{*flag ? 1.0F : 0.0F};
  }
  if (!value.is_number()) {
    return Error{Code::kInvalidArgument, fmt::format("column {} holds numbers, but {} came",
                                                     in_quotes(column.name), value.kind())};
  }
  if (std::abs(value.number()) > std::numeric_limits<float>::max()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("column {}: {} is beyond the range of a 32-bit float",
                             in_quotes(column.name), value.number())};
  }
  return RecordCell{static_cast<float>(value.number())};
}

Result<RecordCell> RecordReader::category_cell(std::size_t column_index, const Json& value) const {
  const TableColumn& column = columns_[column_index];
  std::string owner;
  const std::string* text = text_of(value, owner);
  if (text == nullptr) {
    return Error{Code::kInvalidArgument, fmt::format("column {} holds a category, but {} came",
                                                     in_quotes(column.name), value.kind())};
  }
  const auto& codes = code_of_category_[column_index];
  const auto found = codes.find(*text);
  if (found != codes.end()) {
    return RecordCell{static_cast<float>(found->second)};
  }
  if (rules_.unknown_refused) {
    return Error{Code::kInvalidArgument, fmt::format("column {} has no category {}",
                                                     in_quotes(column.name), in_quotes(*text))};
  }
  return RecordCell{.unknown = true};
}

}  // namespace braid
