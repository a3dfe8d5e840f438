#include "modality/image/framing.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

/// round(space ÷ 2) with halves to even, which is Python's round().
std::size_t centred(std::size_t space) {
  const std::size_t half = space / 2;
  return space % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

}  // namespace

Result<Framed> framed(Extent from, const Framing& framing, std::int64_t pixels_max) {
  if (framing.fit == Fit::kStretch) {
    return Framed{framing.size, {0, 0, framing.size}};
  }
  const std::size_t shorter = std::min(from.width, from.height);
  const std::size_t longer = framing.resize_to * std::max(from.width, from.height) / shorter;
  Framed result;
  result.resized = from.width <= from.height ? Extent{framing.resize_to, longer}
                                             : Extent{longer, framing.resize_to};
  result.window.extent = result.resized;
  if (framing.fit == Fit::kCrop) {
    result.window = {centred(result.resized.width - framing.size.width),
                     centred(result.resized.height - framing.size.height), framing.size};
  }
  if (result.window.extent.pixels() > static_cast<std::uint64_t>(pixels_max)) {
    return Error{Code::kExhausted,
                 fmt::format("{} × {} pixels become {} × {}; pixels_max is {}", from.width,
                             from.height, result.resized.width, result.resized.height, pixels_max)};
  }
  return result;
}

}  // namespace braid
