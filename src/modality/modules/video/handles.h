#pragma once
// Owners of what FFmpeg allocates. Threads: values.

#include <memory>

struct AVCodecContext;
struct AVFormatContext;
struct AVFrame;
struct AVPacket;
struct SwsContext;

namespace braid {

struct FreeFfmpeg {
  void operator()(AVCodecContext* context) const;
  void operator()(AVFormatContext* context) const;
  void operator()(AVFrame* frame) const;
  void operator()(AVPacket* packet) const;
  void operator()(SwsContext* context) const;
};

using CodecHandle = std::unique_ptr<AVCodecContext, FreeFfmpeg>;
using FormatHandle = std::unique_ptr<AVFormatContext, FreeFfmpeg>;
using FrameHandle = std::unique_ptr<AVFrame, FreeFfmpeg>;
using PacketHandle = std::unique_ptr<AVPacket, FreeFfmpeg>;
using ScaleHandle = std::unique_ptr<SwsContext, FreeFfmpeg>;

}  // namespace braid
