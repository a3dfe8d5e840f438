#pragma once
// The chunks of a WAV. Threads: a pure function.

#include "modality/audio/container.h"

namespace braid {

/// `raw` begins with RIFF and WAVE. Fails as open_container does.
Result<SoundFile> open_wav(Bytes raw, const SoundLimits& limits);

}  // namespace braid
