#include "measure/cell.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "tensor/npy.h"

namespace braid {
namespace {

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

/// A pipe or device would stop the reader, a folder has no bytes.
Result<void> check_file(const std::filesystem::path& file) {
  std::error_code failed;
  const auto type = std::filesystem::status(file, failed).type();
  if (type == std::filesystem::file_type::regular) {
    return {};
  }
  return wrong(fmt::format("{} is {}", file.string(),
                           type == std::filesystem::file_type::not_found
                               ? "not there; paths are relative to the manifest"
                               : "not a regular file"));
}

}  // namespace

Result<Cell> CellReader::read(std::string_view text) {
  if (text.empty()) {
    return Cell{};
  }
  if (!text.starts_with('@') || text.starts_with("@@")) {
    text.remove_prefix(text.starts_with('@') ? 1 : 0);
    return Cell{.kind = Cell::Kind::kValue, .value = std::string(text)};
  }
  text.remove_prefix(1);
  Cell cell{.kind = Cell::Kind::kFile};
  if (const std::size_t mark = text.rfind(".npy#"); mark != std::string_view::npos) {
    const std::string_view number = text.substr(mark + 5);
    const auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), cell.row_index);
    if (failure != std::errc() || end != number.data() + number.size()) {
      return wrong(fmt::format("'{}' is not a row; write @array.npy#0", number));
    }
    cell.kind = Cell::Kind::kArrayRow;
    text = text.substr(0, mark + 4);
  }
  cell.file = (folder_ / text).lexically_normal();
  Result<void> checked = check_file(cell.file);
  if (checked.has_value() && cell.kind == Cell::Kind::kArrayRow) {
    checked = check_array(cell);
  }
  return checked.has_value() ? Result<Cell>(std::move(cell)) : std::move(checked).error();
}

Result<void> CellReader::check_array(const Cell& cell) {
  auto known = array_rows_.find(cell.file);
  if (known == array_rows_.end()) {
    BRAID_TRY(const NpyHeader header, read_npy_header(cell.file));
    known = array_rows_.emplace(cell.file, header.shape.front()).first;
  }
  if (cell.row_index >= known->second) {
    return wrong(fmt::format("{} has no row {}; it has {}, counted from 0", cell.file.string(),
                             cell.row_index, known->second));
  }
  return {};
}

Result<std::string> load_cell(const Cell& cell, std::size_t size_max) {
  switch (cell.kind) {
    case Cell::Kind::kAbsent:
      break;
    case Cell::Kind::kValue:
      return cell.value;
    case Cell::Kind::kFile:
      return read_file(cell.file, size_max);
    case Cell::Kind::kArrayRow: {
      BRAID_TRY(const std::vector<double> values, read_npy_row(cell.file, cell.row_index));
      return json_list(values).dump();
    }
  }
  return wrong("an absent input has no bytes");
}

}  // namespace braid
