#pragma once
// Transfer syntaxes of DICOM (PS3.6, table A-1): how a file is written and its pixels are packed.
// Threads: a pure function.

#include <string_view>

#include "base/result.h"
#include "modality/volume/dicom/elements.h"
#include "modality/volume/dicom/header.h"

namespace braid {

struct DicomSyntax {
  DicomPacking packing = DicomPacking::kNative;
  DicomEncoding encoding;
};

/// kUnsupported by name for those that are known and not read. The text of an unknown one is not
/// repeated: it may be anything.
Result<DicomSyntax> dicom_syntax(std::string_view uid);

}  // namespace braid
