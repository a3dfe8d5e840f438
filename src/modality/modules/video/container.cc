#include "modality/modules/video/container.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
}

#include "modality/modules/video/codecs.h"

namespace braid {
namespace {

/// Of FFmpeg's three hundred demuxers those that hold what cameras, browsers and archives write.
/// None of them opens a second file.
constexpr std::array<std::string_view, 11> kFormats = {"mov,mp4,m4a,3gp,3g2,mj2",
                                                       "matroska,webm",
                                                       "avi",
                                                       "mpeg",
                                                       "mpegts",
                                                       "mpegvideo",
                                                       "m4v",
                                                       "h264",
                                                       "hevc",
                                                       "flv",
                                                       "ogg"};

constexpr std::size_t kProbeBytes = std::size_t{128} << 10;     // to tell the format
constexpr std::int64_t kAnalysedBytes = std::int64_t{2} << 20;  // to tell the streams
constexpr int kPacketsRetried = 64;                             // reads in a row that give nothing

int refuse(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

int is_exhausted(void* file) { return static_cast<MemoryFile*>(file)->is_exhausted() ? 1 : 0; }

/// EXIF's number of the turn that is nearest to a display matrix: x' = a·x + c·y, y' = b·x + d·y,
/// with y downwards.
int orientation_of(const std::int32_t* matrix) {
  struct Turn {
    int orientation;
    int a, b, c, d;
  };
  constexpr Turn kTurns[] = {{1, 1, 0, 0, 1},   {2, -1, 0, 0, 1}, {3, -1, 0, 0, -1},
                             {4, 1, 0, 0, -1},  {5, 0, 1, 1, 0},  {6, 0, 1, -1, 0},
                             {7, 0, -1, -1, 0}, {8, 0, -1, 1, 0}};
  int nearest = 1;
  double best = 0;
  for (const Turn& turn : kTurns) {
    const double likeness =
        static_cast<double>(turn.a) * matrix[0] + static_cast<double>(turn.b) * matrix[1] +
        static_cast<double>(turn.c) * matrix[3] + static_cast<double>(turn.d) * matrix[4];
    if (likeness > best) {
      best = likeness;
      nearest = turn.orientation;
    }
  }
  return nearest;
}

int orientation_of(const AVStream& stream) {
  std::size_t size = 0;
  const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  if (data == nullptr || size < 9 * sizeof(std::int32_t)) {
    return 1;
  }
  std::array<std::int32_t, 9> matrix;
  std::memcpy(matrix.data(), data, sizeof matrix);
  return orientation_of(matrix.data());
}

}  // namespace

void explain(int error, VideoFacts& facts) {
  if (av_strerror(error, facts.reason, sizeof facts.reason) < 0) {
    facts.reason[0] = '\0';
  }
}

Container::Container(const VideoRequest& request)
    : request_(request), file_(request.bytes, request.size_bytes) {}

VideoStatus Container::failed(int error, VideoFacts& facts) const {
  if (file_.is_exhausted()) {
    return VideoStatus::kWork;
  }
  explain(error, facts);
  return error == AVERROR(ENOMEM) ? VideoStatus::kMemory : VideoStatus::kDamaged;
}

/// All demuxers are asked, so that a format which is not read is refused by its name.
VideoStatus Container::probe(VideoFacts& facts) {
  const std::size_t size = std::min(request_.size_bytes, kProbeBytes);
  std::vector<unsigned char> begin(size + AVPROBE_PADDING_SIZE);
  std::copy_n(request_.bytes, size, begin.begin());
  const AVProbeData data = {"", begin.data(), static_cast<int>(size), nullptr};
  int score = 0;
  const AVInputFormat* format = av_probe_input_format3(&data, 1, &score);
  if (format == nullptr) {
    return VideoStatus::kForeign;
  }
  facts.format = format->name;
  if (std::ranges::find(kFormats, std::string_view(format->name)) == kFormats.end()) {
    return VideoStatus::kForeign;
  }
  AVFormatContext* demuxer = avformat_alloc_context();
  if (demuxer == nullptr || file_.context() == nullptr) {
    avformat_free_context(demuxer);
    return VideoStatus::kMemory;
  }
  demuxer->pb = file_.context();
  demuxer->flags |= AVFMT_FLAG_CUSTOM_IO;
  demuxer->io_open = refuse;
  demuxer->interrupt_callback = {is_exhausted, &file_};
  demuxer->max_streams = static_cast<int>(request_.streams_max);
  demuxer->probesize = kAnalysedBytes;
  av_opt_set(demuxer, "codec_whitelist", codec_names(), 0);
  av_opt_set(demuxer, "protocol_whitelist", "", 0);
  const int error = avformat_open_input(&demuxer, "", format, nullptr);  // frees it when it fails
  demuxer_.reset(demuxer);
  return error < 0 ? failed(error, facts) : VideoStatus::kDone;
}

VideoStatus Container::open(VideoFacts& facts) {
  if (const VideoStatus status = probe(facts); status != VideoStatus::kDone) {
    return status;
  }
  facts.stream_count = demuxer_->nb_streams;
  for (unsigned int i = 0; i < demuxer_->nb_streams; ++i) {
    const AVCodecParameters& codec = *demuxer_->streams[i]->codecpar;
    if (std::int64_t{codec.width} * codec.height > request_.pixels_max) {
      facts.width = codec.width;
      facts.height = codec.height;
      return VideoStatus::kPixels;
    }
  }
  if (const int error = avformat_find_stream_info(demuxer_.get(), nullptr); error < 0) {
    return failed(error, facts);
  }
  if (file_.is_exhausted()) {
    return VideoStatus::kWork;
  }
  file_.grant_all();
  return choose(facts);
}

VideoStatus Container::choose(VideoFacts& facts) {
  facts.stream_count = demuxer_->nb_streams;
  if (facts.stream_count > request_.streams_max) {
    return VideoStatus::kStreams;
  }
  for (unsigned int i = 0; i < demuxer_->nb_streams; ++i) {
    AVStream* stream = demuxer_->streams[i];
    const AVMediaType type = stream->codecpar->codec_type;
    const bool is_cover = (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    stream->discard = AVDISCARD_ALL;
    if (type == AVMEDIA_TYPE_VIDEO && !is_cover && video_ == nullptr) {
      video_ = stream;
    } else if (type == AVMEDIA_TYPE_AUDIO && !facts.has_sound) {
      facts.has_sound = true;
      sound_ = request_.wants_sound ? stream : nullptr;
    }
  }
  if (video_ == nullptr) {
    return VideoStatus::kNoVideo;
  }
  video_->discard = AVDISCARD_DEFAULT;
  if (sound_ != nullptr) {
    sound_->discard = AVDISCARD_DEFAULT;
    facts.sound_codec = avcodec_get_name(sound_->codecpar->codec_id);
  }
  const AVCodecParameters& codec = *video_->codecpar;
  facts.video_codec = avcodec_get_name(codec.codec_id);
  facts.width = codec.width;
  facts.height = codec.height;
  facts.orientation = orientation_of(*video_);
  const AVRational aspect = codec.sample_aspect_ratio;
  facts.pixel_aspect = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
  return std::int64_t{codec.width} * codec.height > request_.pixels_max ? VideoStatus::kPixels
                                                                        : VideoStatus::kDone;
}

bool Container::read(AVPacket& packet, int& reason) {
  reason = 0;
  for (int i = 0; i < kPacketsRetried; ++i) {
    av_packet_unref(&packet);
    const int error = av_read_frame(demuxer_.get(), &packet);
    if (error == AVERROR(EAGAIN)) {
      continue;
    }
    if (error < 0) {
      reason = error == AVERROR_EOF ? 0 : error;
      return false;
    }
    // Streams that appear later are not wanted.
    if (packet.stream_index == video_->index ||
        (sound_ != nullptr && packet.stream_index == sound_->index)) {
      return true;
    }
  }
  reason = AVERROR_INVALIDDATA;
  return false;
}

std::int64_t Container::indexed_count() const {
  const bool has_whole_index = std::string_view(demuxer_->iformat->name) == kFormats.front();
  return has_whole_index ? avformat_index_get_entries_count(video_) : 0;
}

}  // namespace braid
