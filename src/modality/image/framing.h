#pragma once
// Framing: which size a picture is resized to and which part of that is kept. Pure arithmetic,
// rounded as torchvision's Resize and CenterCrop round. Threads: pure functions.

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "modality/image/picture.h"

namespace braid {

enum class Fit {
  kStretch,      // both sides to `size`
  kShorterSide,  // the shorter side to `resize_to`; the aspect, so the other side, is kept
  kCrop,         // likewise, then the centre of `size`
};

struct Framing {
  Fit fit = Fit::kStretch;
  Extent size;                // not for kShorterSide
  std::size_t resize_to = 0;  // not for kStretch; for kCrop at least the longer side of `size`
};

/// A part of the resized picture.
struct Window {
  std::size_t left = 0;
  std::size_t top = 0;
  Extent extent;
  bool operator==(const Window&) const = default;
};

struct Framed {
  Extent resized;  // the whole of it, of which only `window` is computed
  Window window;
};

/// kExhausted when the window has more than `pixels_max` pixels.
Result<Framed> framed(Extent from, const Framing& framing, std::int64_t pixels_max);

}  // namespace braid
