#include "base/csv.h"

#include <fmt/format.h>

namespace braid {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<CsvRow>> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      BRAID_TRY(CsvRow row, next_row());
      if (row.cells.size() > 1 || !row.cells.front().empty()) {
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }

 private:
  Result<CsvRow> next_row() {
    CsvRow row{line_, {}};
    while (true) {
      BRAID_TRY(std::string cell, next_cell());
      row.cells.push_back(std::move(cell));
      if (at_ >= text_.size()) {
        return row;
      }
      const char end = text_[at_++];
      if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') {
        ++at_;
      }
      if (end != ',') {
        ++line_;
        return row;
      }
    }
  }

  Result<std::string> next_cell() {
    if (at_ < text_.size() && text_[at_] == '"') {
      return quoted_cell();
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
      if (text_[at_] == '"') {
        return error(line_, "a quote inside an unquoted cell; quote the cell and double it");
      }
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<std::string> quoted_cell() {
    const std::size_t begin_line = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      const bool is_quote = text_[at_] == '"';
      if (is_quote && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        ++at_;
      } else if (is_quote) {
        ++at_;
        if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
          return error(line_, "text after a closing quote");
        }
        return cell;
      }
      line_ += text_[at_] == '\n' ? 1 : 0;
      cell += text_[at_];
    }
    return error(begin_line, "a quote that is never closed");
  }

  static Error error(std::size_t line, const char* message) {
    return Error{Code::kInvalidArgument, fmt::format("line {}: {}", line, message)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  return Reader(text).rows();
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char character : text) {
    cell += character;
    if (character == '"') {
      cell += '"';
    }
  }
  return cell + '"';
}

}  // namespace braid
