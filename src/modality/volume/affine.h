#pragma once
// Affine: where voxels lie in the patient, and which way a volume must be turned to look the same
// for every scanner. Threads: pure functions.

#include <array>
#include <cstddef>

#include "base/result.h"

namespace braid {

/// Rows: millimetres to the right, anterior, superior (RAS), as NIfTI and nibabel count them.
/// Columns: one step along each voxel axis, then the place of voxel (0, 0, 0).
using Affine = std::array<std::array<double, 4>, 3>;

/// For each voxel axis the nearest axis of the world and whether it runs against it.
struct Orientation {
  struct Axis {
    std::size_t world = 0;  // 0 right, 1 anterior, 2 superior
    bool flipped = false;
    bool operator==(const Axis&) const = default;
  };
  std::array<Axis, 3> axes;
  double oblique_degrees = 0;  // the largest angle between a voxel axis and its world axis
};

/// The same choice as nibabel's io_orientation: the rotation nearest to the affine (polar
/// decomposition), whose strongest axes choose first. kInvalidArgument when a number is not finite,
/// an axis has no length, or the axes lie in a plane.
Result<Orientation> orientation_of(const Affine& affine);

/// Millimetres between neighbours along each voxel axis.
std::array<double, 3> spacing_of(const Affine& affine);

/// NIfTI's method 2: unit quaternion (b, c, d), of which a ≥ 0 is the rest, spacing, and qfac -1
/// for a left-handed third axis. kInvalidArgument when (b, c, d) is longer than 1.
Result<Affine> affine_of_quaternion(const std::array<double, 3>& bcd,
                                    const std::array<double, 3>& spacing, double qfac,
                                    const std::array<double, 3>& offset);

}  // namespace braid
