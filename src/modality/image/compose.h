#pragma once
// What happens to a whole picture before it is resized. Threads: pure functions.

#include "modality/image/picture.h"

namespace braid {

/// Puts the picture on a background: its alpha is 255 afterwards.
void lay_on(Colour background, Picture& picture);

/// On a square of its longer side, at ((side - width) ÷ 2, (side - height) ÷ 2), rounded down.
Picture padded_to_square(Picture picture, Colour background);

/// Red, green and blue become the luma of ITU-R 601-2, as Pillow rounds it.
void turn_grey(Picture& picture);

}  // namespace braid
