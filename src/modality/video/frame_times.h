#pragma once
// Frame times: at which moments of a clip its frames are taken. Pure arithmetic on the ticks of the
// clip's clock. Threads: pure functions.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

struct ClipClock {
  double seconds = 0;      // that a tick lasts
  std::int64_t first = 0;  // when the first frame is shown
  std::int64_t last = 0;   // when the last one is shown
  std::int64_t end = 0;    // when it ends
};

enum class Places {
  kEnds,     // from the first frame to the last, as numpy.linspace(0, count - 1, frames)
  kCentres,  // in the middle of equal parts of the clip
};

struct FrameChoice {
  std::size_t frames =
      0;            // with a rate: the last is repeated, or the rest left out; 0: as they come
  double rate = 0;  // frames a second from the first one on; 0: `frames` evenly
  Places places = Places::kEnds;
};

/// Ascending; at least one. A frame is shown from its tick until the next one's. Times are rounded
/// to ticks, and cut where a tick is longer than 2 ms: a finer clock has rounded the frames' own
/// times (1/30 s in Matroska's milliseconds), a coarser one counts frames.
std::vector<std::int64_t> frame_ticks(const ClipClock& clock, const FrameChoice& choice);

}  // namespace braid
