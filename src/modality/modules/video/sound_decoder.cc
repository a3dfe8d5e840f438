#include "modality/modules/video/sound_decoder.h"

#include <algorithm>
#include <cmath>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include "modality/modules/video/codecs.h"
#include "modality/modules/video/container.h"
#include "modality/modules/video/samples.h"

namespace braid {
namespace {

constexpr std::int64_t kRateMin = 1000;  // samples a second, as of sound files
constexpr std::int64_t kRateMax = 384'000;
/// Time stamps of containers are rounded, and a frame is some 25 ms long: what is less apart than
/// this lies where the frame before ended.
constexpr double kGapSeconds = 0.04;

}  // namespace

SoundDecoder::SoundDecoder(const VideoRequest& request) : request_(request) {}

VideoStatus SoundDecoder::open(const AVStream& stream) {
  codec_ = open_codec(stream, request_.pixels_max);
  frame_.reset(av_frame_alloc());
  clock_seconds_ = av_q2d(stream.time_base);
  return codec_ == nullptr   ? VideoStatus::kForeignSound
         : frame_ == nullptr ? VideoStatus::kMemory
                             : VideoStatus::kDone;
}

VideoStatus SoundDecoder::add(const AVPacket* packet, VideoFacts& facts) {
  const int sent = avcodec_send_packet(codec_.get(), packet);
  if (sent < 0 && sent != AVERROR_EOF) {
    ++facts.bad_sound_packets;
  }
  while (true) {
    const int got = avcodec_receive_frame(codec_.get(), frame_.get());
    if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
      return VideoStatus::kDone;
    }
    if (got < 0) {
      ++facts.bad_sound_packets;
      return VideoStatus::kDone;
    }
    if (const VideoStatus status = add_frame(*frame_, facts); status != VideoStatus::kDone) {
      return status;
    }
  }
}

VideoStatus SoundDecoder::add_frame(const AVFrame& frame, VideoFacts& facts) {
  facts.channel_count = frame.ch_layout.nb_channels;
  facts.rate = frame.sample_rate;
  if (frame.ch_layout.nb_channels > request_.channels_max) {
    return VideoStatus::kChannels;
  }
  const bool is_another = rate_ != 0 && rate_ != frame.sample_rate;
  if (is_another || frame.ch_layout.nb_channels < 1 || frame.sample_rate < kRateMin ||
      frame.sample_rate > kRateMax) {
    explain(AVERROR_INVALIDDATA, facts);
    return VideoStatus::kDamaged;
  }
  rate_ = frame.sample_rate;
  std::int64_t skipped = 0;
  if (const VideoStatus status = skip_to_time(frame, skipped); status != VideoStatus::kDone) {
    return status;
  }
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(frame.nb_samples - skipped, 0));
  const std::size_t begin = samples_.size();
  if (static_cast<double>(begin + count) > request_.seconds_max * static_cast<double>(rate_)) {
    return VideoStatus::kSeconds;
  }
  samples_.resize(begin + count);
  const MixedSamples mixed = mix_samples(frame, static_cast<std::size_t>(skipped), request_.mix,
                                         std::span(samples_).subspan(begin));
  facts.clipped_count += mixed.clipped_count;
  return !mixed.is_known   ? VideoStatus::kForeignSound
         : !mixed.is_sound ? VideoStatus::kBadSample
                           : VideoStatus::kDone;
}

/// Silence where packets are lost, and how many samples of the frame are already there.
VideoStatus SoundDecoder::skip_to_time(const AVFrame& frame, std::int64_t& skipped) {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) {
    return VideoStatus::kDone;
  }
  const double seconds = static_cast<double>(frame.best_effort_timestamp) * clock_seconds_;
  if (samples_.empty()) {
    begin_seconds_ = seconds;
    return VideoStatus::kDone;
  }
  const auto rate = static_cast<double>(rate_);
  const double apart = seconds - begin_seconds_ - static_cast<double>(samples_.size()) / rate;
  if (std::abs(apart) < kGapSeconds) {
    return VideoStatus::kDone;
  }
  if (apart > request_.seconds_max) {
    return VideoStatus::kSeconds;
  }
  if (apart > 0) {
    samples_.resize(samples_.size() + static_cast<std::size_t>(std::llround(apart * rate)));
  } else {
    skipped =
        static_cast<std::int64_t>(std::min(-apart * rate, static_cast<double>(frame.nb_samples)));
  }
  return VideoStatus::kDone;
}

}  // namespace braid
