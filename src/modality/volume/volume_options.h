#pragma once
// VolumeOptions: what a pipeline says of an input of modality `volume`. Threads: a value.

#include <cstddef>

#include "base/result.h"
#include "base/yaml.h"
#include "modality/volume/grid.h"
#include "modality/volume/intensity.h"
#include "modality/volume/voxels.h"

namespace braid {

struct VolumeOptions {
  VolumeLimits limits;
  DicomOptions dicom;
  GridOptions grid;
  IntensityOptions intensity;
  std::size_t channel_count = 1;  // of the file: a series of volumes, or several sequences
  double fill = 0;  // in the file's units, for what is no number and what lies beyond the volume
  double pad = 0;   // in the tensor's units, around a volume that is smaller than `size`
};

/// Keys: size, spacing, fit, grid, resample, orientation, channels, window, window_to, normalise,
/// mean, std, fill, pad, monochrome1, dicom, voxels_max, bytes_max. kInvalidArgument with the line
/// and the cure; kUnsupported when `dicom: at_load` finds no module.
Result<VolumeOptions> read_volume_options(const Settings& settings);

}  // namespace braid
