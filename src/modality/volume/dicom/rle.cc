#include "modality/volume/dicom/rle.h"

#include <algorithm>
#include <cstdint>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr std::size_t kHeaderBytes = 64;

Error damaged() {
  return Error{Code::kInvalidArgument, "a frame packed with RLE is damaged or cut short"};
}

/// `count` bytes to every `step`th place of `into`. Whether the plane holds so many.
bool unpack_plane(Bytes plane, std::size_t count, std::size_t step, char* into) {
  std::size_t at = 0;
  std::size_t filled = 0;
  while (filled < count && at < plane.size()) {
    const int control = static_cast<signed char>(plane[at++]);
    if (control == -128) {
      continue;  // nothing, by the standard
    }
    const bool repeats = control < 0;
    const auto run = static_cast<std::size_t>(repeats ? 1 - control : 1 + control);
    if ((repeats ? 1 : run) > plane.size() - at) {
      return false;
    }
    const std::size_t taken = std::min(run, count - filled);  // encoders pad the last run
    for (std::size_t i = 0; i < taken; ++i) {
      into[(filled + i) * step] = plane[repeats ? at : at + i];
    }
    filled += taken;
    at += repeats ? 1 : run;
  }
  return filled == count;
}

}  // namespace

Result<void> unpack_rle(Bytes frame, std::size_t voxel_count, std::size_t value_bytes, char* into) {
  if (frame.size() < kHeaderBytes ||
      load_value<std::uint32_t, false>(frame.data()) != value_bytes) {
    return damaged();
  }
  for (std::size_t plane = 0; plane < value_bytes; ++plane) {
    const auto offset = [&](std::size_t index) -> std::size_t {
      return index == value_bytes ? frame.size()
                                  : load_value<std::uint32_t, false>(frame.data() + 4 + 4 * index);
    };
    const std::size_t begin = offset(plane);
    const std::size_t end = offset(plane + 1);
    if (begin < kHeaderBytes || begin > end || end > frame.size() ||
        !unpack_plane(frame.substr(begin, end - begin), voxel_count, value_bytes,
                      into + (value_bytes - 1 - plane))) {
      return damaged();
    }
  }
  return {};
}

}  // namespace braid
