#pragma once
// ImageOptions: what a pipeline says of an input of modality `image`. Threads: a value.

#include <cstdint>

#include "base/result.h"
#include "base/yaml.h"
#include "modality/image/decode.h"
#include "modality/image/framing.h"
#include "modality/image/normaliser.h"
#include "modality/image/picture.h"
#include "modality/image/weights.h"

namespace braid {

struct ImageOptions {
  std::int64_t bytes_max = std::int64_t{64} << 20;
  DecodeOptions decode;
  bool exif = true;                     // turn the picture as the camera was held
  Colour background = {255, 255, 255};  // behind alpha and beside a padded picture
  bool pad_square = false;
  Framing framing;
  Resampling resampling;
  Normaliser::Options normalise;
};

/// Keys: size, fit, resize_to, resize, antialias, pad, background, exif, channels, layout, scale,
/// mean, std, draft, pixels_max, bytes_max. kInvalidArgument with the line and the cure.
Result<ImageOptions> read_image_options(const Settings& settings);

}  // namespace braid
