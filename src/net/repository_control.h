#pragma once
// RepositoryControl: what clients may do to the repository while the server runs. Whoever opened
// the repository does it; the network only asks. Threads: every function from any; each may take
// seconds, so never on a network thread.

#include <string>

#include "base/result.h"

namespace braid {

class RepositoryControl {
 public:
  virtual ~RepositoryControl() = default;

  /// Loads a model or a pipeline anew from its folder; what was there serves until the new one
  /// does.
  virtual Result<void> load(const std::string& name) = 0;
  virtual Result<void> unload(const std::string& name) = 0;
};

}  // namespace braid
