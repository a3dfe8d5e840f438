#pragma once
// resample: voxels as they lie in the file, in any type, byte order and direction, to values on a
// grid, in one pass: trilinear, without an array of floats between. Threads: pure functions.

#include <cstddef>
#include <span>

#include "modality/volume/grid.h"
#include "modality/volume/voxels.h"

namespace braid {

/// Fills `out`, row-major over the samples of the three axes. Values are scaled by slope and
/// intercept; what is not a number in the file counts as `fill`, and so does what lies beyond it.
/// 8- and 16-bit integers and FP32 are interpolated in single precision, the others in double.
void resample(const Voxels& voxels, std::size_t channel_index, const Grid& grid, double fill,
              std::span<float> out);

/// Voxels of the whole file that are NaN, infinite or too large for FP32; 0 for integers.
std::size_t count_not_finite(const Voxels& voxels);

}  // namespace braid
