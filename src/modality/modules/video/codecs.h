#pragma once
// Codecs: which decoders a clip may use, and how they are opened: one thread, bounded. Threads:
// any.

#include <cstdint>

#include "modality/modules/video/handles.h"

struct AVStream;

namespace braid {

/// The decoders' names, as FFmpeg's codec_whitelist wants them.
const char* codec_names();

/// Null when the stream's codec is none of them, or there is no memory.
CodecHandle open_codec(const AVStream& stream, std::int64_t pixels_max);

}  // namespace braid
