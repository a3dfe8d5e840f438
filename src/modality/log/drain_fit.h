#pragma once
// DrainFit: lines to templates, one line after the other, with the clusters that Drain3 gives for
// the same lines and settings. Memory is bounded by max_clusters, the cut of long lines and
// kNodesMax. Threads: one.

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/log/log_table.h"

namespace braid {

class DrainFit {
 public:
  /// Of the tree, which never forgets a path.
  static constexpr std::size_t kNodesMax = std::size_t{1} << 20;

  explicit DrainFit(DrainRules rules);

  /// The id of the line's template, from 1; a template that was forgotten never gets its id back.
  /// kExhausted when the tree has kNodesMax nodes.
  Result<std::uint32_t> add(Bytes line);

  /// kInvalidArgument when no line was added.
  Result<LogTable> finish() &&;

 private:
  /// Neighbours in the order of use; the first one was met longest ago.
  struct Link {
    std::uint32_t before, after;
  };

  DrainTree::Place free_place();
  void use(DrainTree::Place place);
  void unlink(DrainTree::Place place);

  static constexpr std::uint32_t kNone = UINT32_MAX;

  DrainTree tree_;
  std::vector<Link> links_;  // by place
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t last_id_ = 0;
};

/// visit(line) for each line of a log: between \n, without a \r at the end, blank ones left out.
template <typename Visit>
void for_each_line(Bytes log, Visit&& visit) {
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    Bytes line = log.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.find_first_not_of(" \t\r\v\f") != Bytes::npos) {
      visit(line);
    }
  }
}

}  // namespace braid
