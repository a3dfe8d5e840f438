#pragma once
// read_dicom: a DICOM file, or a series of them in one zip archive, to voxels. Threads: a pure
// function.

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/voxels.h"

namespace braid {

/// Whether the bytes are a DICOM file or a zip archive.
bool begins_like_dicom(Bytes raw);

/// Axes are [column, row, slice] with an affine to RAS; those of a lone picture without a place
/// are [1, row, column] and have none. Values are stored numbers with slope and intercept, or FP32
/// when these differ among the slices. Memory: twice the voxels and one file. Errors name no text
/// of a file. Codes are those of read_dicom_header(), zip_entries(), unpack_frames() and
/// order_series().
Result<Voxels> read_dicom(Bytes raw, const VolumeLimits& limits, const DicomOptions& options);

}  // namespace braid
