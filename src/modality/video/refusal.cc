#include "modality/video/refusal.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr const char* kFormats =
    "MP4, MOV, MKV, WebM, AVI, MPEG-PS, MPEG-TS, FLV, OGG and raw "
    "MPEG-1/2/4, H.264 or H.265";
constexpr const char* kCodecs = "MPEG-1/2/4, H.263, H.264, H.265, VP8, VP9, AV1, Theora and MJPEG";

Error exhausted(std::string message) { return {Code::kExhausted, std::move(message)}; }

std::string with_reason(std::string_view what, const VideoFacts& facts) {
  const std::string_view reason = facts.reason;
  return reason.empty() ? std::string(what) : fmt::format("{}: {}", what, reason);
}

Error of_limit(VideoStatus status, const VideoFacts& facts, const VideoLimits& limits) {
  switch (status) {
    case VideoStatus::kStreams:
      return exhausted(fmt::format("the video has {} streams or more; streams_max is {}",
                                   facts.stream_count, limits.streams_max));
    case VideoStatus::kPixels:
      return exhausted(fmt::format("the video's frames have {} × {} pixels; pixels_max is {}",
                                   facts.width, facts.height, limits.pixels_max));
    case VideoStatus::kFrames:
      return exhausted(
          fmt::format("the video has more than {} frames, which is frames_max, or "
                      "more than 16 packets of sound for each",
                      limits.frames_max));
    case VideoStatus::kSeconds:
      return exhausted(fmt::format("the video is longer than {} s; seconds_max is {}",
                                   limits.seconds_max, limits.seconds_max));
    case VideoStatus::kDecodedBytes:
      return exhausted(
          fmt::format("the video's frames have more than {} bytes when decoded; "
                      "decoded_max is {}",
                      limits.decoded_max, limits.decoded_max));
    case VideoStatus::kMemory:
      return exhausted(
          fmt::format("the video asks for more than {} streams, which is streams_max, or for a "
                      "table of more than 32 MB",
                      limits.streams_max));
    default:
      return exhausted(
          "the video's head is longer than 4 MB, or its tables send the reader through the file "
          "again and again");
  }
}

}  // namespace

Error refusal(VideoStatus status, const VideoFacts& facts, const VideoOptions& options) {
  const std::string_view format = facts.format;
  switch (status) {
    case VideoStatus::kForeign:
      return format.empty()
                 ? Error{Code::kInvalidArgument, "these bytes are no video that is known"}
                 : Error{Code::kUnsupported,
                         fmt::format("a file in the format '{}'; {} are read", format, kFormats)};
    case VideoStatus::kForeignVideo:
      return {Code::kUnsupported, fmt::format("the video is coded in '{}', or in a flavour of it "
                                              "that is not read; {} are read",
                                              facts.video_codec, kCodecs)};
    case VideoStatus::kForeignSound:
      return {
          Code::kUnsupported,
          fmt::format("the video's sound is coded in '{}', which is not read; leave 'sound' out "
                      "of the input",
                      facts.sound_codec)};
    case VideoStatus::kNoVideo:
      return {Code::kInvalidArgument, facts.has_sound
                                          ? "the file holds sound and no video; use modality audio"
                                          : "the file holds neither video nor sound"};
    case VideoStatus::kDamaged:
      return {Code::kInvalidArgument, with_reason("the video is damaged", facts)};
    case VideoStatus::kBadSample:
      return {Code::kInvalidArgument,
              "the video's sound has samples that are no numbers, or far "
              "beyond full scale"};
    case VideoStatus::kChannels: {
      const std::int64_t most = options.sound.has_value() ? options.sound->limits.channels_max : 0;
      return exhausted(fmt::format("the video's sound has {} channels; channels_max is {}",
                                   facts.channel_count, most));
    }
    case VideoStatus::kDone:
    case VideoStatus::kStopped:
      return {Code::kInternal, "the module stopped without a reason"};
    default:
      return of_limit(status, facts, options.limits);
  }
}

}  // namespace braid
