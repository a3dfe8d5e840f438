#pragma once
// A picture of a tensor, for people who want to see what a preprocessor made of their file.
// Threads: pure functions.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "modality/image/picture.h"
#include "tensor/tensor.h"

namespace braid {

struct TensorPicture {
  Picture picture;
  std::string title;  // what is shown: "middle slices along axis 2, 3 and 4"
};

/// Grey from the least value (black) to the greatest (white); NaN is red. By shape:
/// [1, c, h, w] or [1, h, w, c] with c 1 or 3: the image, each colour stretched alike;
/// [1, c, d, h, w]: the three middle slices of channel 0, side by side;
/// [1, rows, columns], both above 8: as a matrix, row 0 on top, as of a spectrogram;
/// [1, n] or [1, few, n] with n from 256 up: as a curve, as of a waveform.
/// Nothing for other shapes. `numbers` are those of the shape, row-major.
std::optional<TensorPicture> picture_of(const Shape& shape, const std::vector<double>& numbers);

/// Shrunk with antialias to fit, the aspect kept; unchanged when it fits already.
Picture shrunk(Picture picture, std::size_t width_max, std::size_t height_max);

/// Lines of text, two rows of pixels a line: in the terminal's true colours, or in blocks of five
/// shades where there are none.
std::string in_text(const Picture& picture, bool in_colours);

}  // namespace braid
