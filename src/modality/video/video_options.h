#pragma once
// VideoOptions: what a pipeline says of an input of modality `video`. Threads: a value.

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/yaml.h"
#include "modality/audio/audio_options.h"
#include "modality/image/framing.h"
#include "modality/image/normaliser.h"
#include "modality/image/weights.h"
#include "modality/video/frame_times.h"

namespace braid {

enum class FrameLayout {
  kFramesFirst,    // [1, frames, channels, height, width]
  kChannelsLast,   // [1, frames, height, width, channels]
  kChannelsFirst,  // [1, channels, frames, height, width]
};

struct VideoLimits {
  std::int64_t bytes_max = std::int64_t{64} << 20;
  std::int64_t streams_max = 32;
  std::int64_t pixels_max = std::int64_t{9} << 20;  // of a frame: 4096 × 2160 passes
  std::int64_t frames_max = 9000;                   // five minutes
  double seconds_max = 300;
  std::int64_t decoded_max = std::int64_t{4} << 30;   // bytes of all frames, as decoded
  std::int64_t tensor_max = std::int64_t{256} << 20;  // bytes
};

struct VideoOptions {
  VideoLimits limits;
  FrameChoice choice;
  bool rotate = true;        // turn the frames as the clip asks
  double damaged_max = 0.1;  // share of the frames
  Framing framing;
  Resampling resampling;
  Normaliser::Options normalise;
  FrameLayout layout = FrameLayout::kFramesFirst;
  std::optional<AudioOptions> sound;
  bool silence_if_missing = false;
};

/// The keys are listed in docs/video.md. kInvalidArgument with the line and the cure.
Result<VideoOptions> read_video_options(const Settings& settings);

}  // namespace braid
