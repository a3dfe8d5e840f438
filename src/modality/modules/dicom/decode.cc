#include "modality/modules/dicom/decode.h"

#include <new>

#include "modality/modules/dicom/decoders.h"

namespace braid {
namespace {

DicomDecoded decode(const DicomFrame& frame, char* into, std::size_t into_size) {
  switch (frame.packing) {
    case DicomFrame::Packing::kJpeg:
      return decode_jpeg(frame, into, into_size);
    case DicomFrame::Packing::kJpegLs:
      return decode_jpeg_ls(frame, into, into_size);
    case DicomFrame::Packing::kJpeg2000:
      return decode_jpeg2000(frame, into, into_size);
  }
  return DicomDecoded::kDamaged;
}

}  // namespace
}  // namespace braid

extern "C" __attribute__((visibility("default"))) braid::DicomDecoded braid_dicom_decode_1(
    const braid::DicomFrame& frame, char* into, std::size_t into_size) noexcept {
  try {
    return braid::decode(frame, into, into_size);
  } catch (const std::bad_alloc&) {
    return braid::DicomDecoded::kMemory;
  } catch (...) {
    return braid::DicomDecoded::kDamaged;
  }
}
