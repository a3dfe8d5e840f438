#pragma once
// Resizing in two passes, first along the rows, then along the columns. With antialias over
// integers and rounded to 8 bits between the passes: the same bits as Pillow up to version 12,
// which is what models were trained with (13 begins with the columns where that is less work).
// Without antialias nothing is rounded or clipped before the end, as in OpenCV and PyTorch.
// Threads: a pure function.

#include <cstdint>
#include <functional>

#include "modality/image/framing.h"
#include "modality/image/picture.h"
#include "modality/image/weights.h"

namespace braid {

/// Gets each row of the window once, from the top; window.extent.width pixels of four bytes, of
/// which the alpha is of no meaning. Valid during the call.
using RowSink = std::function<void(std::size_t row_index, const std::uint8_t* pixels)>;

/// Holds besides the picture only as many rows as the filter is high.
void resize(const Picture& from, const Framed& frame, const Resampling& resampling,
            const RowSink& sink);

}  // namespace braid
