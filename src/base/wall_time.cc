#include "base/wall_time.h"

#include <algorithm>

namespace braid {

std::uint64_t wall_ms(const Clock& clock, TimePoint then) {
  using Milliseconds = std::chrono::milliseconds;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto at = std::chrono::duration_cast<Milliseconds>(since_1970) -
                  std::chrono::duration_cast<Milliseconds>(clock.now() - then);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(at.count(), 0));
}

}  // namespace braid
