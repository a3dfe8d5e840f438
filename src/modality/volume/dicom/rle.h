#pragma once
// RLE: DICOM's own packing (PS3.5, annex G): planes of bytes, the most significant first, each in
// PackBits. Threads: a pure function.

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

/// One frame to `into`: `voxel_count` values of `value_bytes` (1 or 2), little-endian.
/// kInvalidArgument unless it holds exactly that.
Result<void> unpack_rle(Bytes frame, std::size_t voxel_count, std::size_t value_bytes, char* into);

}  // namespace braid
