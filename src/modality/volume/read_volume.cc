#include "modality/volume/read_volume.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "modality/volume/dicom/read_dicom.h"
#include "modality/volume/gzip.h"
#include "modality/volume/nifti.h"
#include "modality/volume/npy_layout.h"

namespace braid {
namespace {

constexpr std::size_t kStartBytes = 4096;  // holds every header that is read here
constexpr std::size_t kUnpackedFree = std::size_t{64} << 20;  // whatever the gain
constexpr Bytes kNpyMark = "\x93NUMPY";

/// Formats that people have volumes in, by their first bytes.
const char* foreign_format(Bytes start) {
  struct Mark {
    std::size_t place;
    Bytes bytes;
    const char* name;
  };
  static constexpr Mark kMarks[] = {
      {0, "NRRD0", "an NRRD file"},
      {0, "ObjectType", "a MetaImage header"},
      {0, "NDims", "a MetaImage header"},
      {0, "\x89HDF\r\n", "an HDF5 (or MINC 2) file"},
      {0, "CDF", "a NetCDF (or MINC 1) file"},
      {0, Bytes("\0\0\0\1", 4), "a FreeSurfer MGH file"},
      {0, "II*", "a TIFF picture"},
      {0, "MM", "a TIFF picture"},
      {0, "\x89PNG", "a PNG picture"},
      {0, "\xFF\xD8\xFF", "a JPEG picture"},
      {0, "PK\3\4", "a zip archive in gzip"},
      {128, "DICM", "a DICOM file in gzip"},
  };
  for (const Mark& mark : kMarks) {
    if (start.size() > mark.place && start.substr(mark.place).starts_with(mark.bytes)) {
      return mark.name;
    }
  }
  return nullptr;
}

Result<VoxelLayout> parse_layout(Bytes start, const VolumeLimits& limits) {
  if (start.starts_with(kNpyMark)) {
    return parse_npy(start, limits);
  }
  if (begins_like_nifti(start)) {
    return parse_nifti(start, limits);
  }
  if (const char* name = foreign_format(start)) {
    return Error{
        Code::kUnsupported,
        fmt::format("{} is not read here; NIfTI (.nii, .nii.gz), NPY and DICOM are", name)};
  }
  return Error{Code::kInvalidArgument,
               "no volume: neither NIfTI (.nii, .nii.gz) nor NPY nor DICOM"};
}

Result<void> check_size(Bytes raw, const VolumeLimits& limits) {
  if (raw.empty()) {
    return Error{Code::kInvalidArgument, "the volume is empty: 0 bytes"};
  }
  if (std::cmp_greater(raw.size(), limits.bytes_max)) {
    return Error{Code::kExhausted, fmt::format("the volume has {} bytes; bytes_max is {}",
                                               raw.size(), limits.bytes_max)};
  }
  return {};
}

}  // namespace

Result<std::size_t> count_voxels(std::span<const std::int64_t> extents,
                                 const VolumeLimits& limits) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    if (extent > limits.voxels_max / count) {
      return Error{Code::kExhausted, fmt::format("{} voxels; voxels_max is {}",
                                                 fmt::join(extents, " × "), limits.voxels_max)};
    }
    count *= extent;
  }
  return static_cast<std::size_t>(count);
}

Result<void> check_gain(std::size_t packed, std::size_t unpacked, const VolumeLimits& limits) {
  if (unpacked <= kUnpackedFree || unpacked / static_cast<std::size_t>(limits.gain_max) < packed) {
    return {};
  }
  return Error{Code::kExhausted,
               fmt::format("{} bytes unpack to {}, {} times as many; gain_max is {}", packed,
                           unpacked, unpacked / std::max<std::size_t>(packed, 1), limits.gain_max)};
}

Result<Voxels> read_volume(Bytes raw, const VolumeLimits& limits, const DicomOptions& dicom) {
  BRAID_TRY_DO(check_size(raw, limits));
  if (begins_like_dicom(raw)) {
    return read_dicom(raw, limits, dicom);
  }
  Voxels voxels;
  if (is_gzip(raw)) {
    BRAID_TRY(const std::string start, gunzip_start(raw, kStartBytes));
    BRAID_TRY(voxels.layout, parse_layout(start, limits));
    const std::size_t begin = voxels.layout.data_begin;
    BRAID_TRY_DO(check_gain(raw.size(), begin + voxels.layout.data_bytes(), limits));
    BRAID_TRY(voxels.owned, gunzip(raw, begin + voxels.layout.data_bytes()));
    voxels.bytes = Bytes(voxels.owned.get() + begin, voxels.layout.data_bytes());
    return voxels;
  }
  BRAID_TRY(voxels.layout, parse_layout(raw.substr(0, kStartBytes), limits));
  const std::size_t wanted = voxels.layout.data_begin + voxels.layout.data_bytes();
  if (raw.size() < wanted || raw.size() > wanted + kTrailingMax) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("the volume has {} bytes; its header and voxels are {}", raw.size(), wanted)};
  }
  voxels.bytes = raw.substr(voxels.layout.data_begin, voxels.layout.data_bytes());
  return voxels;
}

}  // namespace braid
