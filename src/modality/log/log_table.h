#pragma once
// LogTable: templates of log lines, fitted, and which of them a line has: as Drain3's match(),
// which changes nothing. It is a JSON file, named by the SHA-256 of its bytes. Threads: constant
// after construction; match() from any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/log/drain_tree.h"

namespace braid {

class LogTable {
 public:
  /// The number of a line that no template fits; templates are 1 … template_count().
  static constexpr std::uint32_t kUnknown = 0;

  /// `tree` is done growing.
  explicit LogTable(DrainTree tree);
  /// {"kind": "braid.log.1", "rules": {…}, "templates": […], "leaves": […]}. `name` is what
  /// messages call it. kInvalidArgument says what is wrong.
  static Result<LogTable> parse(std::string_view json, const std::string& name);
  std::string to_json() const;

  /// The template whose every word equals the line's or is a wildcard: below the path of its words,
  /// and, with `everywhere`, else among all of that length.
  std::uint32_t match(const LogWords& line, bool everywhere) const;

  std::size_t template_count() const { return order_.size(); }
  /// `number` is 1 … template_count(): by the order in which they were first met.
  const LogTemplate& numbered(std::uint32_t number) const;
  const DrainRules& rules() const { return tree_.rules(); }

 private:
  DrainTree tree_;
  std::vector<DrainTree::Place> order_;  // of number - 1
  std::vector<std::uint32_t> numbers_;   // of each place
};

}  // namespace braid
