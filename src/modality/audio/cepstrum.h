#pragma once
// Cepstrum: mel-frequency cepstral coefficients of a logarithmic spectrum, and the slopes of any
// features over time. Threads: pure functions.

#include <cstddef>

#include "base/result.h"
#include "modality/audio/grid.h"

namespace braid {

struct CepstrumOptions {
  std::size_t coefficients = 20;
  double lifter = 0;           // 0: none
  bool lifter_from_0 = false;  // Kaldi leaves coefficient 0 as it is, librosa does not
};

/// The orthonormal DCT-II over the bands of each frame, then the lifter 1 + lifter ÷ 2 · sin(πn ÷
/// lifter). At most as many coefficients as bands, which is the caller's promise.
Grid cepstrum(const Grid& bands, const CepstrumOptions& options);

enum class DeltaEdges {
  kFit,  // librosa.feature.delta(mode="interp"): at the ends the slope of the outermost window
  kReplicate,  // torchaudio.functional.compute_deltas, Kaldi: the outermost frame is repeated
};

/// Appends the slopes below the features, and below them for `order` 2 the second slopes: for kFit
/// the curvature of a parabola (a Savitzky-Golay filter, as librosa's), for kReplicate the slopes
/// of slopes. kInvalidArgument when kFit has fewer frames than `width`, which is odd and ≥ 3.
Result<Grid> with_deltas(const Grid& features, int order, std::size_t width, DeltaEdges edges);

}  // namespace braid
