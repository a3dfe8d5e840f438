#pragma once
// Csv: rows of RFC 4180 text that know their line. Quoted cells may hold commas, quotes and line
// breaks; both CRLF and LF end a row; a UTF-8 byte order mark is skipped.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> cells;
};

/// Blank lines are skipped. kInvalidArgument with the line for a quote that is never closed or
/// that stands inside an unquoted cell.
Result<std::vector<CsvRow>> parse_csv(std::string_view text);

/// The cell as RFC 4180 writes it: quoted where it must be.
std::string csv_cell(std::string_view text);

}  // namespace braid
