#pragma once
// NIfTI-1 and NIfTI-2 headers in both byte orders, as nibabel understands them. Of a single file
// (.nii); pairs (.hdr and .img) are refused. Threads: pure functions.

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/voxels.h"

namespace braid {

/// Whether a file that begins like this has a header of NIfTI's (or ANALYZE's) size.
bool begins_like_nifti(Bytes start);

/// `start` is the beginning of the file, 544 bytes if it has so many.
/// - Rotation: sform if its code is above 0, else qform, else spacing alone with x to the left.
/// - Slope 0 or not finite means: no scaling.
/// - More than three axes make channels.
/// kUnsupported by name for complex numbers, colours, pairs and ANALYZE; kExhausted above
/// limits.voxels_max; else kInvalidArgument.
Result<VoxelLayout> parse_nifti(Bytes start, const VolumeLimits& limits);

}  // namespace braid
