#pragma once
// SoundFile: which kind of sound file some bytes are, and the parts of it that a decoder may see.
// Of a WAV that is the format and the samples: its other chunks, in which parsers have died, are
// walked over here and never shown to a library. Threads: pure functions.

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

enum class SoundFormat { kWav, kFlac, kOgg, kMp3 };

struct SoundLimits {
  std::int64_t bytes_max = std::int64_t{32} << 20;
  std::int64_t channels_max = 8;
  double seconds_max = 120;
};

struct SoundFile {
  SoundFormat format = SoundFormat::kWav;
  std::string head;  // ours, to be read before the body: a WAV of only `fmt ` and `data`
  Bytes body;        // the samples of a WAV; all of another kind but its ID3 tags
};

/// kInvalidArgument for bytes that are no sound and for a WAV whose chunks or format cannot be
/// right, kUnsupported for other formats by name, kExhausted for what a WAV announces above the
/// limits. Time grows with the chunks that are there, memory not at all.
Result<SoundFile> open_container(Bytes raw, const SoundLimits& limits);

/// The limits that hold for every format, as soon as a header is read. `frame_count` counts a
/// sample of every channel as one.
Result<void> check_sound(std::int64_t channels, std::int64_t rate, std::int64_t frame_count,
                         const SoundLimits& limits);

}  // namespace braid
