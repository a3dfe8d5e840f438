#include "modality/volume/grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr double kNearlyWhole = 1e-9;    // rounding of a quotient of two spacings
constexpr std::size_t kAxisMax = 65536;  // NIfTI-1 has at most 32767

/// A tensor's axis before it is sampled.
struct Turned {
  VoxelAxis source;
  double spacing = 0;
  bool flipped = false;
};

Result<PerAxis<Turned>> turned_axes(const VoxelLayout& layout, const GridOptions& options,
                                    double& oblique_degrees) {
  PerAxis<Turned> turned;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    turned[axis].source = layout.axes[axis];
    if (turned[axis].source.extent > kAxisMax) {
      return Error{Code::kExhausted, fmt::format("an axis of {} voxels; {} is the most",
                                                 turned[axis].source.extent, kAxisMax)};
    }
  }
  if (!layout.affine.has_value()) {
    return turned;
  }
  BRAID_TRY(const Orientation orientation, orientation_of(*layout.affine));
  oblique_degrees = orientation.oblique_degrees;
  const std::array<double, 3> spacing = spacing_of(*layout.affine);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    turned[axis].spacing = spacing[axis];
  }
  if (!options.orientation.has_value()) {
    return turned;
  }
  const PerAxis<Turned> in_file = turned;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Orientation::Axis wanted = (*options.orientation)[axis];
    for (std::size_t from = 0; from < 3; ++from) {
      const Orientation::Axis there = orientation.axes[from];
      if (there.world == wanted.world) {
        turned[axis] = in_file[from];
        turned[axis].flipped = there.flipped != wanted.flipped;
      }
    }
  }
  return turned;
}

/// Along one axis: how many values, and the place of value i in voxels, i · step + begin.
struct Steps {
  double count = 0;
  double step = 1;
  double begin = 0;
};

Steps steps_of(double extent, double count, GridFit grid) {
  if (grid == GridFit::kEdges) {
    return {count, extent / count, extent / count / 2 - 0.5};
  }
  return {count, count > 1 ? (extent - 1) / (count - 1) : 1, 0};
}

/// Python's round(): half to even.
double python_round(double value) { return std::nearbyint(value); }

Steps steps_of(const Turned& axis, std::size_t index, const GridOptions& options) {
  const auto extent = static_cast<double>(axis.source.extent);
  if (options.fit == VolumeFit::kStretch && options.size.has_value()) {
    return steps_of(extent, static_cast<double>((*options.size)[index]), options.grid);
  }
  if (!options.spacing.has_value()) {
    return {extent, 1, 0};
  }
  const double zoom = axis.spacing / (*options.spacing)[index];
  if (options.grid == GridFit::kOrigin) {
    return {std::ceil((extent - 1) * zoom - kNearlyWhole) + 1, 1 / zoom, 0};
  }
  return steps_of(extent, std::max(1.0, python_round(extent * zoom)), options.grid);
}

/// Which of `count` values are shown by a tensor of `extent`, and where. As MONAI's
/// CenterSpatialCrop and SpatialPad.
struct Shown {
  std::size_t extent = 0;
  std::size_t begin = 0;  // of the values
  std::size_t count = 0;
  std::size_t at = 0;  // in the tensor
};

Shown shown_of(std::size_t count, std::optional<std::size_t> extent) {
  if (!extent.has_value() || *extent == count) {
    return {count, 0, count, 0};
  }
  if (*extent < count) {
    return {*extent, count / 2 - *extent / 2, *extent, 0};
  }
  return {*extent, 0, count, (*extent - count) / 2};
}

Sample sample_at(double place, std::size_t extent, bool flipped, const GridOptions& options) {
  const auto last = static_cast<double>(extent - 1);
  if (options.grid == GridFit::kOrigin && place > last + kNearlyWhole) {
    return {Sample::kOutside, Sample::kOutside, 0};
  }
  const double clamped = std::clamp(place, 0.0, last);
  double floor = std::floor(clamped);
  double weight = clamped - floor;
  if (options.nearest) {
    floor = std::floor(clamped + 0.5);
    weight = 0;
  }
  auto first = static_cast<std::uint32_t>(floor);
  auto second = weight > 0 ? first + 1 : first;
  if (flipped) {
    first = static_cast<std::uint32_t>(extent - 1) - first;
    second = static_cast<std::uint32_t>(extent - 1) - second;
  }
  return {first, second, weight};
}

GridAxis sampled(const Turned& axis, const Steps& steps, std::optional<std::size_t> extent,
                 const GridOptions& options) {
  const Shown shown = shown_of(static_cast<std::size_t>(steps.count), extent);
  GridAxis result{axis.source, axis.spacing, shown.extent, shown.at, {}};
  result.samples.reserve(shown.count);
  for (std::size_t i = 0; i < shown.count; ++i) {
    const double place = static_cast<double>(shown.begin + i) * steps.step + steps.begin;
    result.samples.push_back(sample_at(place, axis.source.extent, axis.flipped, options));
  }
  return result;
}

Result<void> check_count(const PerAxis<Steps>& steps, std::size_t channel_count,
                         const VolumeLimits& limits) {
  const double count =
      steps[0].count * steps[1].count * steps[2].count * static_cast<double>(channel_count);
  const double longest = std::max({steps[0].count, steps[1].count, steps[2].count});
  if (longest > kAxisMax) {
    return Error{Code::kExhausted, fmt::format("resampled to {} voxels along an axis; {} is the "
                                               "most",
                                               longest, kAxisMax)};
  }
  if (!(count <= static_cast<double>(limits.voxels_max))) {
    return Error{Code::kExhausted,
                 fmt::format("resampled to {} × {} × {} voxels; voxels_max is {}", steps[0].count,
                             steps[1].count, steps[2].count, limits.voxels_max)};
  }
  return {};
}

}  // namespace

Result<Grid> make_grid(const VoxelLayout& layout, const GridOptions& options,
                       const VolumeLimits& limits) {
  if (options.spacing.has_value() && !layout.affine.has_value()) {
    return Error{Code::kInvalidArgument,
                 "'spacing' is wanted, but the file (NumPy, or DICOM without a place) does not say "
                 "its own; send NIfTI"};
  }
  Grid grid;
  BRAID_TRY(const PerAxis<Turned> turned, turned_axes(layout, options, grid.oblique_degrees));
  PerAxis<Steps> steps;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    steps[axis] = steps_of(turned[axis], axis, options);
  }
  BRAID_TRY_DO(check_count(steps, layout.channel_count, limits));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto extent =
        options.size.has_value() ? std::optional<std::size_t>((*options.size)[axis]) : std::nullopt;
    grid.axes[axis] = sampled(turned[axis], steps[axis], extent, options);
  }
  return grid;
}

}  // namespace braid
