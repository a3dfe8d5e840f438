#pragma once
// read_volume: the bytes of a volume file to its voxels, whatever format it is. Threads: a pure
// function.

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/voxels.h"

namespace braid {

/// NIfTI-1, NIfTI-2 and NPY, each as it is or in gzip, and DICOM, one file or a series in a zip
/// archive, told apart by their first bytes. The voxels may point into `raw`. kUnsupported by name
/// for another format; kExhausted above a limit, which is seen in the header, before anything of
/// that size is allocated; else kInvalidArgument.
Result<Voxels> read_volume(Bytes raw, const VolumeLimits& limits, const DicomOptions& dicom);

}  // namespace braid
