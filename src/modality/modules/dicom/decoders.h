#pragma once
// The decoders of the module, one a library. Inside the module only. Threads: any.

#include <cstddef>

#include "modality/modules/dicom/decode.h"

namespace braid {

/// Each fills `into`, which has room for the frame's rows × columns values, little-endian.
/// JPEG, 8, 12 and 16 bits, lossless too, by GDCM.
DicomDecoded decode_jpeg(const DicomFrame& frame, char* into, std::size_t into_size);
/// By CharLS.
DicomDecoded decode_jpeg_ls(const DicomFrame& frame, char* into, std::size_t into_size);
/// By OpenJPEG.
DicomDecoded decode_jpeg2000(const DicomFrame& frame, char* into, std::size_t into_size);

}  // namespace braid
