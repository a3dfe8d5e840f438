// CharLS itself: GDCM, which would ask it, forgets the codestream when it is damaged.
#include <memory>

#include <charls/charls.h>

#include "modality/modules/dicom/decoders.h"

namespace braid {
namespace {

struct Destroy {
  void operator()(charls_jpegls_decoder* decoder) const { charls_jpegls_decoder_destroy(decoder); }
};

bool done(charls_jpegls_errc code) { return code == charls::jpegls_errc::success; }

}  // namespace

DicomDecoded decode_jpeg_ls(const DicomFrame& frame, char* into, std::size_t into_size) {
  const std::unique_ptr<charls_jpegls_decoder, Destroy> owned(charls_jpegls_decoder_create());
  charls_jpegls_decoder* const decoder = owned.get();
  if (decoder == nullptr) {
    return DicomDecoded::kMemory;
  }
  charls_frame_info info = {};
  std::size_t wanted = 0;
  const bool opened = done(charls_jpegls_decoder_set_source_buffer(decoder, frame.codestream,
                                                                   frame.codestream_size)) &&
                      done(charls_jpegls_decoder_read_header(decoder)) &&
                      done(charls_jpegls_decoder_get_frame_info(decoder, &info)) &&
                      done(charls_jpegls_decoder_get_destination_size(decoder, 0, &wanted));
  const bool fits = opened && info.width == frame.columns && info.height == frame.rows &&
                    info.component_count == 1 && wanted == into_size;
  return fits && done(charls_jpegls_decoder_decode_to_buffer(decoder, into, into_size, 0))
             ? DicomDecoded::kDone
             : DicomDecoded::kDamaged;
}

}  // namespace braid
