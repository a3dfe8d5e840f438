#pragma once
// What the module `video` gives: a clip's frames and sound, decoded by FFmpeg from memory. It opens
// no other file and no address, starts no thread and writes no log. Messages are made by whoever
// asks: only numbers, codes and FFmpeg's own names cross.
// Threads: any; one clip by one at a time. Life: whoever opened a clip closes it.

#include <cstddef>
#include <cstdint>

namespace braid {

/// Limits are checked as soon as a number is known, before anything of that size is allocated.
struct VideoRequest {
  const char* bytes;  // borrowed while the clip is opened
  std::size_t size_bytes;
  bool wants_sound;
  int mix;  // of the channels: 0 mean, 1 the first, 2 the second (the first where there is one)
  std::int64_t streams_max;
  std::int64_t pixels_max;  // of a frame
  std::int64_t frames_max;  // of the clip
  std::int64_t decoded_bytes_max;
  std::int64_t channels_max;
  double seconds_max;
};

enum class VideoStatus : int {
  kDone = 0,
  kForeign,       // no container that is read; `format` names it where FFmpeg knows it
  kForeignVideo,  // `video_codec` is not read
  kForeignSound,  // `sound_codec` is not read
  kNoVideo,       // `has_sound` tells whether there is sound instead
  kDamaged,       // `reason`
  kBadSample,     // a sample of the sound is no number or far beyond full scale
  kStreams,       // above a limit, each
  kPixels,
  kFrames,
  kSeconds,
  kDecodedBytes,
  kChannels,
  kWork,     // the file is read over and over
  kMemory,   // one block of more than 32 MB is asked for, or more streams than may be
  kStopped,  // by the one who takes frames
};

/// Names are FFmpeg's, stay valid, and are never null.
struct VideoFacts {
  const char* format = "";
  const char* video_codec = "";
  const char* sound_codec = "";
  char reason[64] = "";
  std::int64_t stream_count = 0;

  std::int64_t width = 0;  // as stored; 0 where only the decoder will tell
  std::int64_t height = 0;
  int orientation = 1;  // EXIF's number of the turn that the clip asks for
  double pixel_aspect = 1;

  /// A tick lasts clock_seconds. Where a time stamp is missing, frames are numbered and a tick is a
  /// frame.
  bool is_timed = true;
  double clock_seconds = 0;
  std::int64_t first_tick = 0;  // when the first frame is shown
  std::int64_t last_tick = 0;   // when the last frame is shown
  std::int64_t end_tick = 0;    // when it ends
  std::int64_t lost_count = 0;  // frames that the file announces and does not hold

  bool has_sound = false;
  std::int64_t rate = 0;  // samples a second
  std::int64_t channel_count = 0;
  const float* samples = nullptr;  // one channel, full scale ±1; valid until the clip is closed
  std::int64_t sample_count = 0;
  double sound_delay = 0;  // seconds from the first frame to the first sample; may be negative
  std::int64_t clipped_count = 0;      // of `sample_count` × `channel_count`
  std::int64_t bad_sound_packets = 0;  // that could not be decoded
};

/// Pixels of four bytes: red, green, blue and one without meaning.
struct VideoFrame {
  const std::uint8_t* pixels;  // valid during the call
  std::size_t stride_bytes;
  std::size_t width;
  std::size_t height;
  std::size_t begin;  // it is what is shown at ticks begin … begin + count - 1 of those asked for
  std::size_t count;
};

/// Gets frames in their order; false stops.
using VideoTake = bool(void* taker, const VideoFrame& frame);

struct VideoDecoded {
  std::int64_t frame_count = 0;
  std::int64_t damaged_count = 0;  // frames with errors, and packets that gave none
};

struct VideoClip;

/// Reads the whole file, decodes the sound, keeps the compressed frames. `facts` is filled as far
/// as it went whatever the status is; `clip` is set for kDone.
using VideoOpen = VideoStatus(const VideoRequest& request, VideoFacts& facts, VideoClip*& clip);

/// Decodes every frame, and gives for each tick the last frame whose time is not after it, or the
/// first one. `ticks` ascend. To be called once a clip.
using VideoShow = VideoStatus(VideoClip& clip, const std::int64_t* ticks, std::size_t tick_count,
                              VideoTake* take, void* taker, VideoDecoded& decoded);

using VideoClose = void(VideoClip* clip);

/// The version at the end goes up when anything above changes.
inline constexpr const char* kVideoOpenSymbol = "braid_video_open_1";
inline constexpr const char* kVideoShowSymbol = "braid_video_show_1";
inline constexpr const char* kVideoCloseSymbol = "braid_video_close_1";

}  // namespace braid
