#pragma once
// Activity: where in a sound somebody speaks, judged by loudness alone, and what follows from it:
// how much of it is speech, how far above the noise, and what may be cut off. Threads: pure
// functions.

#include <cstdint>
#include <span>
#include <vector>

namespace braid {

/// A part is 10 ms of sound, judged by the 25 ms that begin there. It counts as speech above a
/// threshold 10 dB over the quiet parts (the tenth percentile), or half way to the loudest part
/// where that is nearer, and at most 50 dB below the loudest. A sound whose parts differ by less
/// than 6 dB has no pauses to compare with: it is speech all through, or silence below -70 dB.
struct Activity {
  std::vector<bool> speech;  // of each part
  double speech_share = 0;   // of the parts
  /// 10 log10 of mean speech power less noise ÷ mean noise power, in -20 … 100; 0 without pauses.
  double snr_db = 0;
};

Activity find_activity(std::span<const float> samples, std::int64_t rate);

/// The parts with speech and 50 ms around each; may be empty.
std::vector<float> speech_of(std::span<const float> samples, std::int64_t rate,
                             const Activity& activity);

/// What librosa.effects.trim(samples, top_db=…) leaves: silence at both ends is cut.
std::span<const float> trimmed(std::span<const float> samples, double top_db);

}  // namespace braid
