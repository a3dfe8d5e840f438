#pragma once
// Arrays in NumPy's format as volumes: [depth, height, width], or channels first. Threads: a pure
// function.

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/voxels.h"

namespace braid {

/// `start` is the beginning of the file; a header beyond it is refused. Both byte orders, both
/// memory orders, integers and FP32, FP64. kUnsupported by name for other types.
Result<VoxelLayout> parse_npy(Bytes start, const VolumeLimits& limits);

}  // namespace braid
