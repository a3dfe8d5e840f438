#pragma once
// Evidence: docs/evidence/NAME.json, the figures that pages are rendered from. A command adds or
// replaces its own rows by id and leaves those of others, so that a figure can be measured again
// alone. tools/evidence.py writes the same format for scripts.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"

namespace braid {

struct EvidenceRow {
  std::string id;  // the issue's: "C1", or "C1.word" where it asks for several figures
  std::string what;
  double value = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::string unit = {};
  std::string goal = {};           // "≥ 84 %"; "" where none was set
  std::optional<bool> holds = {};  // a row that falls short stays in, with false
  std::string note = {};
};

struct EvidenceSource {
  std::string command;  // that can be run again
  std::string commit;
  std::string date;  // 2025-01-31
};

/// Each row keeps the command, commit, machine and date that it was measured with; the file's own
/// are those of the last writer. Written whole or not at all. kInvalidArgument when the file is
/// there and is not evidence.
Result<void> merge_evidence(const std::filesystem::path& file, const EvidenceSource& source,
                            const Machine& machine, const std::vector<EvidenceRow>& rows);

}  // namespace braid
