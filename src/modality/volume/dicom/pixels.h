#pragma once
// Pixels: frames of a DICOM file to whole numbers as this machine keeps them: unpacked, without the
// bits that are not stored, with their sign. Threads: pure functions.

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/dicom/header.h"
#include "tensor/tensor.h"

namespace braid {

/// Of the numbers that unpack_frames() gives.
DType dicom_dtype(const DicomHeader& header);

/// All frames of `file`, one behind the other, to `into`, which has frame_bytes() for each of them.
/// `inverted`: low + high - value, of the range that the stored bits span. kUnsupported when frames
/// are compressed and the module `dicom` is not there, or by name for a flavour that is not read;
/// else kInvalidArgument.
Result<void> unpack_frames(Bytes file, const DicomHeader& header, bool inverted, char* into);

/// Whether the module that unpacks compressed frames can be opened.
Result<void> open_dicom_module();

}  // namespace braid
