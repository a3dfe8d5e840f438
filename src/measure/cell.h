#pragma once
// Cell: one input of one case, as a manifest says it: the value itself, `@path` (a file),
// `@array.npy#row`, `@@…` for a value that begins with @, or nothing (absent).
// Threads: values; a CellReader is used by one thread; load_cell() from any.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

struct Cell {
  enum class Kind { kAbsent, kValue, kFile, kArrayRow };
  Kind kind = Kind::kAbsent;
  std::string value = {};           // of kValue: the bytes themselves
  std::filesystem::path file = {};  // of kFile and kArrayRow
  std::size_t row_index = 0;        // of kArrayRow

  bool present() const { return kind != Kind::kAbsent; }
};

/// Reads the cells of one manifest. Remembers the arrays, since thousands of cells may name one.
class CellReader {
 public:
  /// Paths in cells are relative to `folder`.
  explicit CellReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// kInvalidArgument when its file is not there or not a regular one, or the array has no such
  /// row. The bytes stay where they are.
  Result<Cell> read(std::string_view text);

 private:
  Result<void> check_array(const Cell& cell);

  const std::filesystem::path folder_;
  std::map<std::filesystem::path, std::size_t> array_rows_;
};

/// The bytes of a cell that is present. A row of an array comes as a JSON list of its numbers, NaN
/// as null. kExhausted for a file larger than `size_max` bytes.
Result<std::string> load_cell(const Cell& cell, std::size_t size_max = std::size_t{256} << 20);

}  // namespace braid
