#include "modality/modules/video/frame_decoder.h"

#include <algorithm>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace braid {
namespace {

std::int64_t size_bytes(const AVFrame& frame) {
  std::int64_t sum = 0;
  for (const AVBufferRef* part : frame.buf) {
    sum += part == nullptr ? 0 : static_cast<std::int64_t>(part->size);
  }
  return sum;
}

bool is_damaged(const AVFrame& frame) {
  return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

}  // namespace

FrameDecoder::FrameDecoder(CodecHandle codec, bool is_timed, std::int64_t decoded_bytes_max,
                           const FrameOrder& order)
    : codec_(std::move(codec)),
      is_timed_(is_timed),
      bytes_left_(decoded_bytes_max),
      order_(order),
      frame_(av_frame_alloc()),
      held_(av_frame_alloc()) {}

VideoStatus FrameDecoder::add(const AVPacket* packet) {
  if (frame_ == nullptr || held_ == nullptr) {
    return VideoStatus::kMemory;
  }
  const int sent = avcodec_send_packet(codec_.get(), packet);
  if (sent < 0 && sent != AVERROR_EOF) {
    ++decoded_.damaged_count;
  }
  while (true) {
    const int got = avcodec_receive_frame(codec_.get(), frame_.get());
    if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
      return VideoStatus::kDone;
    }
    if (got < 0) {
      ++decoded_.damaged_count;
      return VideoStatus::kDone;
    }
    if (const VideoStatus status = add_frame(); status != VideoStatus::kDone) {
      return status;
    }
  }
}

VideoStatus FrameDecoder::add_frame() {
  bytes_left_ -= size_bytes(*frame_);
  if (bytes_left_ < 0) {
    return VideoStatus::kDecodedBytes;
  }
  std::int64_t tick = decoded_.frame_count++;
  decoded_.damaged_count += is_damaged(*frame_) ? 1 : 0;
  if (is_timed_) {
    const std::int64_t stamp = frame_->best_effort_timestamp;
    tick = stamp == AV_NOPTS_VALUE ? held_tick_ : stamp;
  }
  if (holds_) {
    tick = std::max(tick, held_tick_);  // a clock that goes back: in the decoder's order
    std::size_t end = next_;
    while (end < order_.ticks.size() && order_.ticks[end] < tick) {
      ++end;
    }
    if (const VideoStatus status = give(end); status != VideoStatus::kDone) {
      return status;
    }
  }
  std::swap(frame_, held_);
  av_frame_unref(frame_.get());
  holds_ = true;
  held_tick_ = tick;
  return VideoStatus::kDone;
}

VideoStatus FrameDecoder::give(std::size_t end) {
  if (end == next_) {
    return VideoStatus::kDone;
  }
  if (!colours_.convert(*held_)) {
    return VideoStatus::kForeignVideo;
  }
  const VideoFrame frame = {colours_.pixels(),
                            colours_.stride_bytes(),
                            static_cast<std::size_t>(held_->width),
                            static_cast<std::size_t>(held_->height),
                            next_,
                            end - next_};
  next_ = end;
  return order_.take(order_.taker, frame) ? VideoStatus::kDone : VideoStatus::kStopped;
}

VideoStatus FrameDecoder::finish() {
  return holds_ ? give(order_.ticks.size()) : VideoStatus::kDamaged;
}

}  // namespace braid
