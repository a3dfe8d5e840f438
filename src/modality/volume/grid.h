#pragma once
// Grid: where along each axis of a volume the values of a tensor are taken: turning, resampling,
// cropping and padding as one table an axis. Pure arithmetic. Threads: pure functions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "modality/volume/voxels.h"

namespace braid {

/// What stays in its place when an axis is resampled (no antialias in any of them):
enum class GridFit {
  kCorners,  // the centres of the first and last voxel: scipy.ndimage.zoom
  kEdges,    // the outer edges of both: scipy.ndimage.zoom(grid_mode=True, mode="nearest")
  kOrigin,   // the first centre, and exactly the spacing: nibabel.processing.resample_to_output
};

enum class VolumeFit {
  kStretch,  // resample to `size`
  kCrop,     // resample to `spacing` if there is one, then cut or pad around the centre to `size`
};

/// Three numbers in the order of the tensor's axes.
template <typename T>
using PerAxis = std::array<T, 3>;

struct GridOptions {
  /// World axes of the tensor's axes, as nibabel's axcodes: "RAS" means that axis 0 runs to the
  /// right. None: as in the file.
  std::optional<PerAxis<Orientation::Axis>> orientation;
  std::optional<PerAxis<std::size_t>> size;
  std::optional<PerAxis<double>> spacing;  // millimetres
  VolumeFit fit = VolumeFit::kStretch;
  GridFit grid = GridFit::kCorners;
  bool nearest = false;  // the nearest voxel instead of the two neighbours' mean
};

/// Value = voxel[first] + weight · (voxel[second] − voxel[first]).
struct Sample {
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};  // as `first`: beyond the volume
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  double weight = 0;
};

struct GridAxis {
  VoxelAxis source;
  double spacing = 0;        // of the file, in millimetres; 0 when it says none
  std::size_t extent = 0;    // of the tensor
  std::size_t shown_at = 0;  // index in the tensor of the first sample; before it is padding
  std::vector<Sample> samples;
};

struct Grid {
  PerAxis<GridAxis> axes;
  double oblique_degrees = 0;
};

/// kInvalidArgument when the affine cannot be used or `spacing` is wanted of a file without one;
/// kExhausted when the resampled volume would exceed limits.voxels_max.
Result<Grid> make_grid(const VoxelLayout& layout, const GridOptions& options,
                       const VolumeLimits& limits);

}  // namespace braid
