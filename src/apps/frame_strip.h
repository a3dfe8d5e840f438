#pragma once
// A picture of a video's tensor: a few of its frames side by side. Threads: pure functions.

#include <optional>
#include <vector>

#include "apps/tensor_picture.h"
#include "tensor/tensor.h"

namespace braid {

/// Of [1, t, c, h, w], [1, t, h, w, c] or [1, c, t, h, w] with c 1 or 3: up to four frames from the
/// first to the last. Nothing for other shapes. `numbers` are those of the shape, row-major.
std::optional<TensorPicture> frame_strip(const Shape& shape, const std::vector<double>& numbers);

}  // namespace braid
