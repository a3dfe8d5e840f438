#include "modality/modules/video/codecs.h"

#include <string>
#include <string_view>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace braid {
namespace {

/// Of FFmpeg's five hundred. None of them needs a device or another file.
constexpr std::string_view kNames =
    "mpeg1video,mpeg2video,mpeg4,h263,h264,hevc,vp8,vp9,libdav1d,theora,mjpeg,"
    "mp2,mp2float,mp3,mp3float,aac,ac3,opus,vorbis,flac,alac,pcm_u8,pcm_s16le,pcm_s16be,"
    "pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_alaw,pcm_mulaw,adpcm_ms,adpcm_ima_wav,amrnb";

bool is_allowed(std::string_view name) {
  const std::string list = "," + std::string(kNames) + ",";
  return list.find("," + std::string(name) + ",") != std::string::npos;
}

}  // namespace

const char* codec_names() { return kNames.data(); }

CodecHandle open_codec(const AVStream& stream, std::int64_t pixels_max) {
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  if (codec == nullptr || !is_allowed(codec->name)) {
    return nullptr;
  }
  CodecHandle context(avcodec_alloc_context3(codec));
  if (context == nullptr || avcodec_parameters_to_context(context.get(), stream.codecpar) < 0) {
    return nullptr;
  }
  context->pkt_timebase = stream.time_base;
  context->thread_count = 1;
  context->max_pixels = pixels_max;
  return avcodec_open2(context.get(), codec, nullptr) < 0 ? nullptr : std::move(context);
}

}  // namespace braid
