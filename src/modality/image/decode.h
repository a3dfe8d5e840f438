#pragma once
// Decoders: the bytes of a picture file to pixels. A damaged file is an error, never a picture that
// is part grey or part of an earlier one. Threads: pure functions.

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/image/picture.h"

namespace braid {

struct DecodeOptions {
  std::int64_t pixels_max = std::int64_t{64} << 20;  // a phone's camera has 12 to 50 million
  /// A JPEG may be decoded at 1/2, 1/4 or 1/8 as long as its shorter side keeps this many pixels,
  /// as Pillow's draft() does. 0: always in full.
  std::size_t draft_to = 0;
};

struct Decoded {
  Picture picture;
  bool has_alpha = false;  // else alpha is 255 everywhere
  int orientation = 1;     // EXIF: 1 … 8
};

/// JPEG or PNG, told apart by their first bytes. kInvalidArgument when damaged or no picture,
/// kUnsupported with its name for another format, kExhausted above pixels_max, which is seen in
/// the header, before anything of that size is allocated.
Result<Decoded> decode_picture(Bytes raw, const DecodeOptions& options);

/// Baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK; the last two as Adobe writes them.
Result<Decoded> decode_jpeg(Bytes raw, const DecodeOptions& options);

/// Every colour type and depth, interlaced or not. Of 16 bits the upper 8 count. Of an animated
/// file the default picture.
Result<Decoded> decode_png(Bytes raw, const DecodeOptions& options);

/// kExhausted when `extent` has more than options.pixels_max pixels.
Result<void> check_pixels(Extent extent, const DecodeOptions& options);

}  // namespace braid
