#pragma once
// SoundDecoder: packets of a sound stream to samples of one channel, each at its time. Threads: one
// at a time.

#include <cstdint>
#include <vector>

#include "modality/modules/video/clip.h"
#include "modality/modules/video/handles.h"

struct AVStream;

namespace braid {

class SoundDecoder {
 public:
  explicit SoundDecoder(const VideoRequest& request);

  /// kForeignSound when its codec is not read.
  VideoStatus open(const AVStream& stream);

  /// Packets in their order, then null. What cannot be decoded is counted; the gap is silent.
  VideoStatus add(const AVPacket* packet, VideoFacts& facts);

  const std::vector<float>& samples() const { return samples_; }
  std::int64_t rate() const { return rate_; }
  double begin_seconds() const { return begin_seconds_; }  // the time stamp of the first sample

 private:
  VideoStatus add_frame(const AVFrame& frame, VideoFacts& facts);
  VideoStatus skip_to_time(const AVFrame& frame, std::int64_t& skipped);

  const VideoRequest& request_;
  CodecHandle codec_;
  FrameHandle frame_;
  double clock_seconds_ = 0;
  std::int64_t rate_ = 0;
  double begin_seconds_ = 0;
  std::vector<float> samples_;
};

}  // namespace braid
