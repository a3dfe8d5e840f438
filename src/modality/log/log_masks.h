#pragma once
// LogMasks: what changes from line to line and says nothing of its kind becomes a word: "<IP>".
// Each mask is a scanner of ours that is linear in the line, equal to the regular expression that
// docs/ngrams-and-logs.md gives for Drain3; a stranger's expression could take for ever.
// Threads: constant after construction.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

class LogMasks {
 public:
  /// In the order in which they act, of known(); none twice. kInvalidArgument names another.
  static Result<LogMasks> of(const std::vector<std::string>& names);
  /// uuid, ip, mac, path, hex, id, number: all there are, in the order that suits most.
  static const std::vector<std::string>& known();

  /// `line` with every match replaced, mask after mask.
  std::string apply(std::string_view line) const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> chosen_;  // indices into the scanners
};

}  // namespace braid
