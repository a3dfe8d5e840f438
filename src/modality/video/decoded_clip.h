#pragma once
// DecodedClip: a video opened by the module, which holds FFmpeg and is loaded when a pipeline first
// names a video. Threads: the module any; one clip by one at a time.

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/module.h"
#include "base/result.h"
#include "modality/audio/decode.h"
#include "modality/modules/video/clip.h"
#include "modality/video/frame_tensor.h"
#include "modality/video/video_options.h"

namespace braid {

class VideoModule {
 public:
  /// kUnsupported when it cannot be opened, with the places that were tried.
  static Result<VideoModule> open();

  VideoOpen* const open_clip;
  VideoShow* const show_clip;
  VideoClose* const close_clip;
};

class DecodedClip {
 public:
  /// Reads the file and decodes its sound; `raw` is not needed afterwards. Fails as refusal() says.
  static Result<DecodedClip> open(const VideoModule& module, Bytes raw,
                                  const VideoOptions& options);

  const VideoFacts& facts() const { return facts_; }

  /// Its sound, from the moment on at which the first frame is shown. kInvalidArgument when it has
  /// none, or none from there on; silence as long as the video where the options ask for it.
  Result<Sound> sound(const VideoOptions& options) const;

  /// Decodes every frame, and gives `frames` those that are shown at `ticks`. To be called once.
  Result<VideoDecoded> show(std::span<const std::int64_t> ticks, const VideoOptions& options,
                            FrameTensor& frames);

 private:
  using Handle = std::unique_ptr<VideoClip, VideoClose*>;
  DecodedClip(Handle handle, const VideoFacts& facts, VideoShow* show_clip)
      : handle_(std::move(handle)), facts_(facts), show_(show_clip) {}

  Handle handle_;
  VideoFacts facts_;
  VideoShow* show_;
};

/// The samples from time 0 on, of a sound whose first sample is `delay` seconds after that.
std::vector<float> from_zero(std::span<const float> samples, std::int64_t rate, double delay);

}  // namespace braid
