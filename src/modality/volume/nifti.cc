#include "modality/volume/nifti.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr std::int32_t kSize1 = 348;
constexpr std::int32_t kSize2 = 540;

/// What both versions say, in one form.
struct Header {
  std::int64_t size = 0;  // of the header itself, with the four bytes that announce extensions
  std::array<std::int64_t, 8> dim = {};
  int datatype = 0;
  std::array<double, 8> pixdim = {};
  double vox_offset = 0;
  double slope = 0;
  double intercept = 0;
  int qform_code = 0;
  int sform_code = 0;
  std::array<double, 3> quaternion = {};
  std::array<double, 3> offset = {};
  Affine srow = {};
};

/// Numbers at fixed places, in the file's byte order.
class Fields {
 public:
  Fields(Bytes start, bool swapped) : start_(start), swapped_(swapped) {}

  template <typename T>
  T at(std::size_t place) const {
    return swapped_ ? load_value<T, true>(start_.data() + place)
                    : load_value<T, false>(start_.data() + place);
  }
  template <typename T, typename Into, std::size_t n>
  void read(std::size_t place, std::array<Into, n>& into) const {
    for (std::size_t i = 0; i < n; ++i) {
      into[i] = static_cast<Into>(at<T>(place + i * sizeof(T)));
    }
  }

 private:
  Bytes start_;
  bool swapped_;
};

Header read_version1(const Fields& fields) {
  Header header;
  header.size = kSize1 + 4;
  fields.read<std::int16_t>(40, header.dim);
  header.datatype = fields.at<std::int16_t>(70);
  fields.read<float>(76, header.pixdim);
  header.vox_offset = fields.at<float>(108);
  header.slope = fields.at<float>(112);
  header.intercept = fields.at<float>(116);
  header.qform_code = fields.at<std::int16_t>(252);
  header.sform_code = fields.at<std::int16_t>(254);
  fields.read<float>(256, header.quaternion);
  fields.read<float>(268, header.offset);
  for (std::size_t row = 0; row < 3; ++row) {
    fields.read<float>(280 + row * 16, header.srow[row]);
  }
  return header;
}

Header read_version2(const Fields& fields) {
  Header header;
  header.size = kSize2 + 4;
  header.datatype = fields.at<std::int16_t>(12);
  fields.read<std::int64_t>(16, header.dim);
  fields.read<double>(104, header.pixdim);
  header.vox_offset = static_cast<double>(fields.at<std::int64_t>(168));
  header.slope = fields.at<double>(176);
  header.intercept = fields.at<double>(184);
  header.qform_code = fields.at<std::int32_t>(344);
  header.sform_code = fields.at<std::int32_t>(348);
  fields.read<double>(352, header.quaternion);
  fields.read<double>(376, header.offset);
  for (std::size_t row = 0; row < 3; ++row) {
    fields.read<double>(400 + row * 32, header.srow[row]);
  }
  return header;
}

struct Start {
  std::int32_t size = 0;  // 348 or 540; else this is no NIfTI
  bool swapped = false;
};

Start look_at(Bytes start) {
  if (start.size() < sizeof(std::int32_t)) {
    return {};
  }
  for (const bool swapped : {false, true}) {
    const auto size = Fields(start, swapped).at<std::int32_t>(0);
    if (size == kSize1 || size == kSize2) {
      return {size, swapped};
    }
  }
  return {};
}

Result<Header> read_header(Bytes start) {
  const auto [size, swapped] = look_at(start);
  if (size == 0) {
    return Error{Code::kInvalidArgument, "no NIfTI header"};
  }
  if (std::cmp_less(start.size(), size)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the NIfTI header is cut: {} of {} bytes", start.size(), size)};
  }
  const Fields fields(start, swapped);
  const Bytes magic = start.substr(size == kSize1 ? 344 : 4, 4);
  if (magic == Bytes("ni1\0", 4) || magic == Bytes("ni2\0", 4)) {
    return Error{Code::kUnsupported,
                 "a NIfTI header without its voxels (.hdr and .img); save it as one .nii file"};
  }
  if (magic == Bytes("n+1\0", 4) && size == kSize1) {
    return read_version1(fields);
  }
  if (magic == Bytes("n+2\0", 4) && size == kSize2) {
    return read_version2(fields);
  }
  return Error{Code::kUnsupported,
               "a header of NIfTI's size without its mark (ANALYZE 7.5?); save it as .nii"};
}

Result<DType> dtype_of(int datatype) {
  struct Known {
    int code;
    DType dtype;
  };
  static constexpr Known kKnown[] = {
      {2, DType::kUint8},    {4, DType::kInt16},    {8, DType::kInt32},    {16, DType::kFp32},
      {64, DType::kFp64},    {256, DType::kInt8},   {512, DType::kUint16}, {768, DType::kUint32},
      {1024, DType::kInt64}, {1280, DType::kUint64}};
  struct Foreign {
    int code;
    const char* name;
  };
  static constexpr Foreign kForeign[] = {
      {1, "bits"},          {32, "complex64"},    {128, "RGB colours"},  {1536, "float128"},
      {1792, "complex128"}, {2048, "complex256"}, {2304, "RGBA colours"}};
  for (const Known& known : kKnown) {
    if (known.code == datatype) {
      return known.dtype;
    }
  }
  for (const Foreign& foreign : kForeign) {
    if (foreign.code == datatype) {
      return Error{Code::kUnsupported,
                   fmt::format("voxels are {}; save them as float32 or an integer", foreign.name)};
    }
  }
  return Error{Code::kInvalidArgument, fmt::format("datatype {} is not one of NIfTI's", datatype)};
}

Result<void> read_extents(const Header& header, const VolumeLimits& limits, VoxelLayout& layout) {
  const std::int64_t rank = header.dim[0];
  if (rank < 1 || rank > 7) {
    return Error{Code::kInvalidArgument, fmt::format("dim[0] is {}, not 1 … 7", rank)};
  }
  std::array<std::int64_t, 7> extents;
  extents.fill(1);
  for (std::int64_t i = 1; i <= rank; ++i) {
    const std::int64_t extent = header.dim[static_cast<std::size_t>(i)];
    if (extent < 1) {
      return Error{Code::kInvalidArgument,
                   fmt::format("dim[{}] is {}; an axis has at least 1 voxel", i, extent)};
    }
    extents[static_cast<std::size_t>(i - 1)] = extent;
  }
  BRAID_TRY(const std::size_t count, count_voxels(extents, limits));
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    layout.axes[axis] = {static_cast<std::size_t>(extents[axis]), stride};
    stride *= layout.axes[axis].extent;
  }
  layout.channel_stride = stride;
  layout.channel_count = count / stride;
  return {};
}

Result<void> read_offset(const Header& header, VoxelLayout& layout) {
  constexpr double kOffsetMax = 1U << 30;  // extensions of a gigabyte
  const double offset =
      header.vox_offset == 0 ? static_cast<double>(header.size) : header.vox_offset;
  if (!(offset >= static_cast<double>(header.size)) || offset > kOffsetMax) {
    return Error{Code::kInvalidArgument,
                 fmt::format("vox_offset {} is outside {} … {}", offset, header.size, kOffsetMax)};
  }
  layout.data_begin = static_cast<std::size_t>(offset);
  return {};
}

Result<void> read_scaling(const Header& header, VoxelLayout& layout) {
  if (header.slope == 0 || !std::isfinite(header.slope)) {
    return {};
  }
  if (!std::isfinite(header.intercept)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("scl_slope is {} but scl_inter {}; write a finite scl_inter",
                             header.slope, header.intercept)};
  }
  layout.slope = header.slope;
  layout.intercept = header.intercept;
  return {};
}

/// As nibabel mends it: without a sign, 0 is 1.
std::array<double, 3> mended_spacing(const Header& header) {
  std::array<double, 3> spacing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double given = std::abs(header.pixdim[axis + 1]);
    spacing[axis] = given == 0 ? 1 : given;
  }
  return spacing;
}

Result<Affine> read_affine(const Header& header) {
  if (header.sform_code > 0) {
    return header.srow;
  }
  const std::array<double, 3> spacing = mended_spacing(header);
  if (header.qform_code > 0) {
    const double qfac = header.pixdim[0] == -1 ? -1 : 1;
    return affine_of_quaternion(header.quaternion, spacing, qfac, header.offset);
  }
  Affine affine = {};
  affine[0][0] = -spacing[0];
  affine[1][1] = spacing[1];
  affine[2][2] = spacing[2];
  return affine;
}

}  // namespace

bool begins_like_nifti(Bytes start) { return look_at(start).size != 0; }

Result<VoxelLayout> parse_nifti(Bytes start, const VolumeLimits& limits) {
  BRAID_TRY(const Header header, read_header(start));
  VoxelLayout layout;
  layout.swapped = look_at(start).swapped;
  BRAID_TRY(layout.dtype, dtype_of(header.datatype));
  BRAID_TRY_DO(read_extents(header, limits, layout));
  BRAID_TRY_DO(read_offset(header, layout));
  BRAID_TRY_DO(read_scaling(header, layout));
  BRAID_TRY(layout.affine, read_affine(header));
  return layout;
}

}  // namespace braid
