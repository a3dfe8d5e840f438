#pragma once
// Settings that pictures and the frames of a video share. Errors are kInvalidArgument with the line
// and the cure. Threads: pure functions.

#include "base/result.h"
#include "base/yaml.h"
#include "modality/image/framing.h"
#include "modality/image/normaliser.h"
#include "modality/image/weights.h"

namespace braid {

/// Keys: size, fit, resize_to.
Result<Framing> read_framing(const Settings& settings);

/// Keys: resize, antialias.
Result<Resampling> read_resampling(const Settings& settings);

/// Keys: channels, scale, mean, std.
Result<Normaliser::Options> read_normalise(const Settings& settings);

}  // namespace braid
