#pragma once
// EXIF orientation: how a camera was held, and the turn that undoes it. Threads: pure functions.

#include "base/bytes.h"
#include "modality/image/picture.h"

namespace braid {

/// `tiff` is what follows "Exif\0\0" in a JPEG, or the eXIf chunk of a PNG. 1 (upright) when there
/// is no orientation or it cannot be read: a damaged note does not damage the picture.
int exif_orientation(Bytes tiff);

/// The picture as it is to be seen; `orientation` is 1 … 8.
Picture turned(Picture picture, int orientation);

}  // namespace braid
