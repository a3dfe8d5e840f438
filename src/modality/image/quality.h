#pragma once
// Quality of a picture, as numbers that a policy or a person may want. Threads: a pure function.

#include "modality/image/picture.h"

namespace braid {

struct PictureQuality {
  double blur = 0;        // variance of the Laplacian of the luma (Pech-Pacheco et al. 2000): low
                          // means blurred; 0 below 3 × 3 pixels
  double brightness = 0;  // mean luma, in [0, 1]
  double clipped = 0;     // share of pixels whose luma is 0 or 255
};

/// Of about 256 rows, evenly spread: a camera's picture has thousands, which say no more.
PictureQuality measure_quality(const Picture& picture);

}  // namespace braid
