// A clip opened: its compressed frames in memory, its sound decoded. The three functions of the
// module.
#include "modality/modules/video/clip.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
}

#include "modality/modules/video/codecs.h"
#include "modality/modules/video/container.h"
#include "modality/modules/video/frame_decoder.h"
#include "modality/modules/video/sound_decoder.h"

namespace braid {

struct VideoClip {
  VideoRequest request;
  bool is_timed = true;
  CodecHandle codec;
  std::vector<PacketHandle> packets;
  std::vector<float> samples;
};

namespace {

/// A frame of 3840 × 2160 with 10 bits has planes of 16 MB; tables of a million frames fit, too.
constexpr std::size_t kBlockBytesMax = std::size_t{32} << 20;
constexpr std::int64_t kPacketsAFrame = 16;  // of sound, at most, for a frame of video
constexpr std::int64_t kTickMax = std::int64_t{1} << 60;
constexpr double kFramesASecond = 25;  // where a file does not say, as FFmpeg

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    av_log_set_callback([](void*, int, const char*, va_list) {});
    av_max_alloc(kBlockBytesMax);
  });
}

/// The packets' times become the clip's.
class Timeline {
 public:
  Timeline(const AVStream& stream, VideoFacts& facts) : stream_(stream), facts_(facts) {
    facts_.clock_seconds = av_q2d(stream.time_base);
  }

  void add(const AVPacket& packet) {
    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0) {
      return;  // an edit list hides it
    }
    const std::int64_t tick = packet.pts;
    if (count_ == 0) {
      begin_ = tick == AV_NOPTS_VALUE ? packet.dts : tick;
    }
    if (tick == AV_NOPTS_VALUE || tick > kTickMax || tick < -kTickMax) {
      facts_.is_timed = false;
      ++count_;
      return;
    }
    facts_.first_tick = count_ == 0 ? tick : std::min(facts_.first_tick, tick);
    facts_.last_tick = count_ == 0 ? tick : std::max(facts_.last_tick, tick);
    const std::int64_t length = std::clamp<std::int64_t>(packet.duration, 0, kTickMax);
    end_ = count_ == 0 ? tick + length : std::max(end_, tick + length);
    ++count_;
  }

  double seconds() const {
    const std::int64_t ticks = facts_.is_timed ? facts_.last_tick - facts_.first_tick : 0;
    return static_cast<double>(ticks) * facts_.clock_seconds;
  }

  /// Where a packet had no time, frames are counted. Returns when the first one is shown, in
  /// seconds of the file's clock.
  double finish() {
    if (facts_.is_timed) {
      facts_.end_tick = std::max(end_, facts_.last_tick);
      return static_cast<double>(facts_.first_tick) * facts_.clock_seconds;
    }
    const double clock = facts_.clock_seconds;
    const AVRational rate = stream_.avg_frame_rate.num > 0 && stream_.avg_frame_rate.den > 0
                                ? stream_.avg_frame_rate
                                : stream_.r_frame_rate;
    facts_.clock_seconds =
        rate.num > 0 && rate.den > 0 ? av_q2d(av_inv_q(rate)) : 1 / kFramesASecond;
    facts_.first_tick = 0;
    facts_.last_tick = std::max<std::int64_t>(count_ - 1, 0);
    facts_.end_tick = count_;
    return begin_ == AV_NOPTS_VALUE ? 0 : static_cast<double>(begin_) * clock;
  }

 private:
  const AVStream& stream_;
  VideoFacts& facts_;
  std::int64_t count_ = 0;
  std::int64_t end_ = 0;
  std::int64_t begin_ = AV_NOPTS_VALUE;  // of the first packet
};

/// Reads every packet: video is kept, sound decoded.
VideoStatus read_all(Container& container, SoundDecoder& sound, Timeline& timeline, VideoClip& clip,
                     VideoFacts& facts) {
  PacketHandle packet(av_packet_alloc());
  std::int64_t others = 0;
  int reason = 0;
  while (packet != nullptr && container.read(*packet, reason)) {
    VideoStatus status = container.budget();
    if (packet->stream_index != container.video().index) {
      ++others;
      status = status == VideoStatus::kDone ? sound.add(packet.get(), facts) : status;
    } else {
      timeline.add(*packet);
      clip.packets.push_back(std::exchange(packet, PacketHandle(av_packet_alloc())));
    }
    const std::int64_t frames_max = clip.request.frames_max;
    if (std::cmp_greater(clip.packets.size(), frames_max) || others > kPacketsAFrame * frames_max) {
      status = VideoStatus::kFrames;
    } else if (timeline.seconds() > clip.request.seconds_max) {
      status = VideoStatus::kSeconds;
    }
    if (status != VideoStatus::kDone) {
      return status;
    }
  }
  if (packet == nullptr) {
    return VideoStatus::kMemory;
  }
  const auto count = static_cast<std::int64_t>(clip.packets.size());
  facts.lost_count = std::max<std::int64_t>(container.indexed_count() - count, reason == 0 ? 0 : 1);
  if (clip.packets.empty()) {
    explain(reason == 0 ? AVERROR_EOF : reason, facts);
    return VideoStatus::kDamaged;
  }
  return container.sound() == nullptr ? VideoStatus::kDone : sound.add(nullptr, facts);
}

VideoStatus open(VideoClip& clip, VideoFacts& facts) {
  Container container(clip.request);
  if (const VideoStatus status = container.open(facts); status != VideoStatus::kDone) {
    return status;
  }
  clip.codec = open_codec(container.video(), clip.request.pixels_max);
  if (clip.codec == nullptr) {
    return VideoStatus::kForeignVideo;
  }
  SoundDecoder sound(clip.request);
  if (container.sound() != nullptr) {
    if (const VideoStatus status = sound.open(*container.sound()); status != VideoStatus::kDone) {
      return status;
    }
  }
  Timeline timeline(container.video(), facts);
  if (const VideoStatus status = read_all(container, sound, timeline, clip, facts);
      status != VideoStatus::kDone) {
    return status;
  }
  const double begin_seconds = timeline.finish();
  const double seconds =
      static_cast<double>(facts.end_tick - facts.first_tick) * facts.clock_seconds;
  if (seconds > clip.request.seconds_max) {
    return VideoStatus::kSeconds;
  }
  // Decoded, a frame has at least 12 bits a pixel.
  const double bytes = 1.5 * static_cast<double>(facts.width) * static_cast<double>(facts.height) *
                       static_cast<double>(clip.packets.size());
  if (bytes > static_cast<double>(clip.request.decoded_bytes_max)) {
    return VideoStatus::kDecodedBytes;
  }
  clip.is_timed = facts.is_timed;
  clip.samples = sound.samples();
  facts.samples = clip.samples.data();
  facts.sample_count = static_cast<std::int64_t>(clip.samples.size());
  facts.sound_delay = sound.begin_seconds() - begin_seconds;
  return VideoStatus::kDone;
}

VideoStatus show(VideoClip& clip, const FrameOrder& order, VideoDecoded& decoded) {
  FrameDecoder decoder(std::move(clip.codec), clip.is_timed, clip.request.decoded_bytes_max, order);
  VideoStatus status = VideoStatus::kDone;
  for (std::size_t i = 0; i < clip.packets.size() && status == VideoStatus::kDone; ++i) {
    status = decoder.add(clip.packets[i].get());
    clip.packets[i].reset();
  }
  status = status == VideoStatus::kDone ? decoder.add(nullptr) : status;
  status = status == VideoStatus::kDone ? decoder.finish() : status;
  decoded = decoder.decoded();
  return status;
}

}  // namespace
}  // namespace braid

extern "C" __attribute__((visibility("default"))) braid::VideoStatus braid_video_open_1(
    const braid::VideoRequest& request, braid::VideoFacts& facts,
    braid::VideoClip*& clip) noexcept {
  try {
    braid::set_up();
    auto opened = std::make_unique<braid::VideoClip>();
    opened->request = request;
    const braid::VideoStatus status = braid::open(*opened, facts);
    clip = status == braid::VideoStatus::kDone ? opened.release() : nullptr;
    return status;
  } catch (const std::bad_alloc&) {
    return braid::VideoStatus::kMemory;
  } catch (...) {
    return braid::VideoStatus::kDamaged;
  }
}

extern "C" __attribute__((visibility("default"))) braid::VideoStatus braid_video_show_1(
    braid::VideoClip& clip, const std::int64_t* ticks, std::size_t tick_count,
    braid::VideoTake* take, void* taker, braid::VideoDecoded& decoded) noexcept {
  try {
    return braid::show(clip, {{ticks, tick_count}, take, taker}, decoded);
  } catch (const std::bad_alloc&) {
    return braid::VideoStatus::kMemory;
  } catch (...) {
    return braid::VideoStatus::kDamaged;
  }
}

extern "C" __attribute__((visibility("default"))) void braid_video_close_1(
    braid::VideoClip* clip) noexcept {
  const std::unique_ptr<braid::VideoClip> last(clip);
}
