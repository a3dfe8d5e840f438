#pragma once
// Sound: a sound file as samples of one channel. libsndfile is named only in decode.cc.
// Threads: pure functions.

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/audio/container.h"

namespace braid {

enum class Mix {
  kMean,    // of all channels, as librosa.to_mono
  kFirst,   // left
  kSecond,  // right
};

struct Sound {
  std::vector<float> samples;  // full scale is ±1, whatever the file's own numbers are
  std::int64_t rate = 0;       // samples a second
  std::int64_t channels = 0;   // of the file
  double clipped = 0;          // share of the file's samples that are at full scale or beyond
};

/// kInvalidArgument for damage, no samples, or samples that are no numbers; kExhausted above the
/// limits; else as open_container.
Result<Sound> decode_sound(Bytes raw, Mix mix, const SoundLimits& limits);

}  // namespace braid
