#pragma once
// Loudness: the logarithm of a spectrum, as librosa.power_to_db, torchaudio's AmplitudeToDB, Kaldi
// or others take it. Threads: constant after construction.

#include <span>

#include "modality/audio/grid.h"
#include "modality/audio/lanes.h"

namespace braid {

enum class LogUnit { kNone, kDecibel, kNatural, kTen };

struct LogOptions {
  LogUnit unit = LogUnit::kDecibel;
  float floor = 1e-10F;        // above 0; in the units of the spectrum
  bool add_floor = false;      // log(x + floor) instead of log(max(x, floor))
  bool relative = false;       // to the largest value of the sound
  float range = 0;             // how far below the largest value is kept, in units of the
                               // logarithm; 0: all
  bool of_amplitudes = false;  // a decibel is then a twentieth, not a tenth
};

class Loudness {
 public:
  explicit Loudness(const LogOptions& options);

  /// In place, on positive finite numbers.
  void apply(std::span<Lanes> values) const;
  /// Once all frames are there: what depends on the largest value.
  void finish(Grid& grid) const;

 private:
  LogOptions options_;
  float factor_;  // of the natural logarithm
};

}  // namespace braid
