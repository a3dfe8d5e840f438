#pragma once
// FrameDecoder: compressed frames to those that are shown at given ticks. Threads: one at a time.

#include <span>
#include <vector>

#include "modality/modules/video/clip.h"
#include "modality/modules/video/colours.h"
#include "modality/modules/video/handles.h"

namespace braid {

/// Who gets the frames, and for which ticks.
struct FrameOrder {
  std::span<const std::int64_t> ticks;
  VideoTake* take = nullptr;
  void* taker = nullptr;
};

class FrameDecoder {
 public:
  /// `is_timed` as in VideoFacts.
  FrameDecoder(CodecHandle codec, bool is_timed, std::int64_t decoded_bytes_max,
               const FrameOrder& order);

  /// Packets in their order, then null.
  VideoStatus add(const AVPacket* packet);
  /// Gives the last frame for the ticks that are left.
  VideoStatus finish();

  const VideoDecoded& decoded() const { return decoded_; }

 private:
  VideoStatus add_frame();
  VideoStatus give(std::size_t end);

  CodecHandle codec_;
  bool is_timed_;
  std::int64_t bytes_left_;
  FrameOrder order_;
  FrameHandle frame_;
  FrameHandle held_;  // shown until the next one is
  bool holds_ = false;
  std::int64_t held_tick_ = 0;
  std::size_t next_ = 0;  // of the ticks
  FrameColours colours_;
  VideoDecoded decoded_;
};

}  // namespace braid
