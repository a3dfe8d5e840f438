#pragma once
// Codestream: what a compressed picture says of itself, read before a decoder sees it. Decoders
// believe these numbers and allocate by them, so they must be those of the DICOM file.
// Threads: a pure function.

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/dicom/header.h"

namespace braid {

struct Codestream {
  unsigned precision = 0;  // bits of a value
  bool is_signed = false;  // only JPEG 2000 can say so
};

/// Of one frame in JPEG, JPEG-LS or JPEG 2000. kInvalidArgument when it is none, has another size
/// or more than one component, or needs another number of bytes a pixel; kUnsupported by name for
/// progressive, hierarchical and arithmetic JPEG, and JPEG 2000 of more than 1024 tiles or of tiny
/// precincts.
Result<Codestream> inspect_codestream(Bytes bytes, const DicomHeader& header);

}  // namespace braid
