#pragma once
// What the module says of a clip that it does not take, in words for the sender. Threads: pure.

#include "base/result.h"
#include "modality/modules/video/clip.h"
#include "modality/video/video_options.h"

namespace braid {

/// `status` is not kDone. kInvalidArgument for what is no video or damaged, kUnsupported for a
/// format or codec that is not read, kExhausted for a limit.
Error refusal(VideoStatus status, const VideoFacts& facts, const VideoOptions& options);

}  // namespace braid
