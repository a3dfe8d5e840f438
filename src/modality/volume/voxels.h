#pragma once
// Voxels: a 3-D array as it lies in its file, with what the file says of it. Nothing is converted
// before it is needed: a crop of a large volume costs what it shows.
// Threads: values. Voxels may borrow the raw input, so they live no longer than that.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/volume/affine.h"
#include "tensor/tensor.h"

namespace braid {

struct VolumeLimits {
  std::int64_t bytes_max = std::int64_t{256} << 20;   // of the file, as it comes
  std::int64_t voxels_max = std::int64_t{256} << 20;  // a CT of 512 × 512 × 1024
  /// How many times its packed bytes a file or an archive may hold: zeros reach 1032. What unpacks
  /// to 64 MB or less may hold more: masks of labels do.
  std::int64_t gain_max = 200;
};

struct DicomOptions {
  /// Values of MONOCHROME1 are turned around in the range of the stored bits.
  bool invert_monochrome1 = false;
};

struct VoxelAxis {
  std::size_t extent = 1;
  std::size_t stride = 0;  // in voxels
};

struct VoxelLayout {
  DType dtype = DType::kUint8;  // an integer, kFp32 or kFp64
  bool swapped = false;         // in the byte order that this machine has not
  std::array<VoxelAxis, 3> axes;
  std::size_t channel_count = 1;
  std::size_t channel_stride = 0;  // in voxels
  double slope = 1;                // value = stored · slope + intercept; never 0
  double intercept = 0;
  /// Voxel indexes to millimetres right, anterior and superior. None: the axes are already those
  /// of the tensor, as in a NumPy array.
  std::optional<Affine> affine;
  std::size_t data_begin = 0;  // in bytes from the start of the file, inflated

  std::size_t data_bytes() const {
    return axes[0].extent * axes[1].extent * axes[2].extent * channel_count * element_size(dtype);
  }
};

struct Voxels {
  VoxelLayout layout;
  Bytes bytes;                    // layout.data_bytes() of them, aligned or not
  std::unique_ptr<char[]> owned;  // what `bytes` point into, unless that is the raw input
};

/// The product of `extents`, each at least 1. kExhausted, naming both, above limits.voxels_max: no
/// product overflows, and nothing is allocated before.
Result<std::size_t> count_voxels(std::span<const std::int64_t> extents, const VolumeLimits& limits);

/// Before anything is unpacked: kExhausted where `packed` bytes promise more than limits.gain_max
/// times as many and more than 64 MB. Such a file is far more often a bomb than a volume.
Result<void> check_gain(std::size_t packed, std::size_t unpacked, const VolumeLimits& limits);

}  // namespace braid
