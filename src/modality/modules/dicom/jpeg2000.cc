// OpenJPEG itself: GDCM, which would ask it, forgets memory when a codestream is damaged, and has
// OpenJPEG write on standard error.
#include <algorithm>
#include <cstring>
#include <memory>

#include <openjpeg.h>

#include "modality/modules/dicom/decoders.h"

namespace braid {
namespace {

/// The codestream as OpenJPEG reads it.
struct Source {
  const char* begin = nullptr;
  std::size_t size = 0;
  std::size_t at = 0;
};

OPJ_SIZE_T read_some(void* into, OPJ_SIZE_T count, void* user) {
  Source& source = *static_cast<Source*>(user);
  const std::size_t taken = std::min(count, source.size - source.at);
  if (taken == 0) {
    return static_cast<OPJ_SIZE_T>(-1);  // how it is told of the end
  }
  std::memcpy(into, source.begin + source.at, taken);
  source.at += taken;
  return taken;
}

OPJ_OFF_T skip_some(OPJ_OFF_T count, void* user) {
  Source& source = *static_cast<Source*>(user);
  const auto left = static_cast<OPJ_OFF_T>(source.size - source.at);
  if (count < 0 || count > left) {
    source.at = source.size;
    return -1;
  }
  source.at += static_cast<std::size_t>(count);
  return count;
}

OPJ_BOOL go_to(OPJ_OFF_T place, void* user) {
  Source& source = *static_cast<Source*>(user);
  if (place < 0 || place > static_cast<OPJ_OFF_T>(source.size)) {
    return OPJ_FALSE;
  }
  source.at = static_cast<std::size_t>(place);
  return OPJ_TRUE;
}

struct Destroy {
  void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
  void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};
struct DestroyCodec {
  void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
};

using Stream = std::unique_ptr<opj_stream_t, Destroy>;
using Codec = std::unique_ptr<opj_codec_t, DestroyCodec>;
using Image = std::unique_ptr<opj_image_t, Destroy>;

Stream open_stream(Source& source) {
  Stream stream(
      opj_stream_create(std::min<std::size_t>(source.size, std::size_t{1} << 20), OPJ_TRUE));
  if (stream != nullptr) {
    opj_stream_set_user_data(stream.get(), &source, nullptr);
    opj_stream_set_user_data_length(stream.get(), source.size);
    opj_stream_set_read_function(stream.get(), read_some);
    opj_stream_set_skip_function(stream.get(), skip_some);
    opj_stream_set_seek_function(stream.get(), go_to);
  }
  return stream;
}

Image decode(opj_codec_t* codec, opj_stream_t* stream) {
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* header = nullptr;
  const bool opened = opj_setup_decoder(codec, &parameters) == OPJ_TRUE &&
                      opj_read_header(stream, codec, &header) == OPJ_TRUE;
  Image image(header);
  if (!opened || opj_decode(codec, stream, image.get()) != OPJ_TRUE) {
    return nullptr;
  }
  return image;
}

bool is_frame(const opj_image_t& image, const DicomFrame& frame) {
  const opj_image_comp_t* component = image.comps;
  return image.numcomps == 1 && component->w == frame.columns && component->h == frame.rows &&
         component->data != nullptr;
}

}  // namespace

DicomDecoded decode_jpeg2000(const DicomFrame& frame, char* into, std::size_t into_size) {
  Source source{frame.codestream, frame.codestream_size, 0};
  const Codec codec(opj_create_decompress(OPJ_CODEC_J2K));
  const Stream stream = open_stream(source);
  if (codec == nullptr || stream == nullptr) {
    return DicomDecoded::kMemory;
  }
  const Image image = decode(codec.get(), stream.get());
  const std::size_t count = std::size_t{frame.rows} * frame.columns;
  const std::size_t width = frame.bits_allocated / 8U;
  if (image == nullptr || !is_frame(*image, frame) || count * width != into_size) {
    return DicomDecoded::kDamaged;
  }
  const OPJ_INT32* values = image->comps->data;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(into + i * width, values + i, width);  // the lowest bytes come first
  }
  return DicomDecoded::kDone;
}

}  // namespace braid
