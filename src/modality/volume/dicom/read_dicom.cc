#include "modality/volume/dicom/read_dicom.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "modality/volume/byte_order.h"
#include "modality/volume/dicom/header.h"
#include "modality/volume/dicom/pixels.h"
#include "modality/volume/dicom/series.h"
#include "modality/volume/dicom/zip.h"

namespace braid {
namespace {

constexpr std::size_t kFilesMax = 8192;
constexpr std::size_t kWholeBytes = std::size_t{1} << 20;   // inflated without a look before
constexpr std::size_t kStartBytes = std::size_t{64} << 10;  // of the look at a larger file
constexpr std::size_t kStartMax = std::size_t{4} << 20;
constexpr std::size_t kHeaderBytes = std::size_t{256} << 10;  // let pass in every file
constexpr std::size_t kSpareBytes = std::size_t{16} << 20;    // and in all together
constexpr std::size_t kGainMax = 4096;                        // of compressed pixels

/// Frames of all files so far, unpacked.
class Collector {
 public:
  Collector(const VolumeLimits& limits, const DicomOptions& options)
      : limits_(limits), options_(options) {}

  /// A directory is passed over.
  Result<void> add(Bytes file) {
    BRAID_TRY(DicomStart start, read_dicom_header(file, true, limits_.voxels_max));
    return start.is_directory ? Result<void>() : add_frames(file, *start.header);
  }

  /// The same of a file in an archive, of which no more is inflated than its pixels explain.
  Result<void> add(const ZipEntry& entry) {
    if (entry.size > kWholeBytes) {
      BRAID_TRY_DO(look_at(entry));
    }
    BRAID_TRY_DO(unzip(entry, file_));
    if (is_of_finder(file_)) {
      return {};
    }
    BRAID_TRY_DO(check_mark(file_));
    allowed_bytes_ += kHeaderBytes;
    inflated_bytes_ += file_.size();
    BRAID_TRY_DO(add(Bytes(file_)));
    if (inflated_bytes_ > kSpareBytes + allowed_bytes_) {
      return too_large();
    }
    return {};
  }

  Result<Voxels> finish() {
    if (places_.empty()) {
      return Error{Code::kInvalidArgument, "the zip archive holds no DICOM file with pixels"};
    }
    BRAID_TRY(const DicomSeries series, order_series(places_, first_.thickness));
    Voxels voxels;
    lay_out(series, voxels.layout);
    const bool uniform = std::ranges::all_of(places_, [&](const DicomPlace& place) {
      return place.slope == places_.front().slope && place.intercept == places_.front().intercept;
    });
    if (uniform) {
      voxels.layout.slope = places_.front().slope;
      voxels.layout.intercept = places_.front().intercept;
      copy(series, voxels);
    } else {
      scale(series, voxels);
    }
    return voxels;
  }

 private:
  static Error too_large() {
    return Error{Code::kInvalidArgument,
                 "the zip archive holds far more bytes than the pixels of its DICOM files need"};
  }

  static Result<void> check_mark(Bytes file) {
    if (is_dicom(file)) {
      return {};
    }
    if (is_zip(file)) {
      return Error{Code::kUnsupported, "a zip archive in a zip archive is not read; unpack it"};
    }
    return Error{Code::kInvalidArgument, "the zip archive holds a file that is not DICOM"};
  }

  /// What macOS adds to archives.
  static bool is_of_finder(Bytes file) {
    return file.starts_with(Bytes("\0\5\x16\7", 4)) || file.starts_with(Bytes("\0\0\0\1Bud1", 8));
  }

  /// Before a large file is inflated its start must explain its size.
  Result<void> look_at(const ZipEntry& entry) const {
    for (std::size_t size = kStartBytes; size <= kStartMax; size *= 4) {
      BRAID_TRY(const std::string start, unzip_start(entry, size));
      BRAID_TRY_DO(check_mark(start));
      BRAID_TRY(const DicomStart read,
                read_dicom_header(start, start.size() == entry.size, limits_.voxels_max));
      if (read.is_directory) {
        return {};
      }
      if (read.header.has_value()) {
        const DicomHeader& header = *read.header;
        const std::size_t pixels = header.frame_bytes() * header.frames.size();
        return entry.size > header.pixels_begin + 2 * pixels + kSpareBytes ? too_large()
                                                                           : Result<void>();
      }
    }
    return Error{Code::kExhausted,
                 fmt::format("a DICOM file with {} bytes before its pixels", kStartMax)};
  }

  Result<void> add_frames(Bytes file, DicomHeader& header) {
    if (places_.empty()) {
      first_ = header;
    }
    BRAID_TRY_DO(check_same_series(first_, header));
    const std::size_t bytes = header.frame_bytes() * header.frames.size();
    voxel_count_ += static_cast<std::int64_t>(header.frame_voxels() * header.frames.size());
    if (voxel_count_ > limits_.voxels_max) {
      return Error{Code::kExhausted, fmt::format("the DICOM series has more than {} voxels; "
                                                 "voxels_max is {}",
                                                 voxel_count_, limits_.voxels_max)};
    }
    const std::size_t packed = file.size() - header.pixels_begin;
    if (header.packing != DicomPacking::kNative && bytes > kWholeBytes + kGainMax * packed) {
      return Error{Code::kInvalidArgument,
                   fmt::format("{} bytes of compressed pixels cannot hold the {} of {} × {} × {}",
                               packed, bytes, header.frames.size(), header.rows, header.columns)};
    }
    if (header.packing != DicomPacking::kNative) {
      BRAID_TRY_DO(check_gain(packed, bytes, limits_));
    }
    for (const DicomPlace& place : header.frames) {
      if (place.slope == 0) {
        return Error{Code::kInvalidArgument, "the DICOM file has a RescaleSlope of 0"};
      }
    }
    auto frames = std::make_unique_for_overwrite<char[]>(bytes);
    BRAID_TRY_DO(unpack_frames(file, header, options_.invert_monochrome1 && header.is_monochrome1,
                               frames.get()));
    for (std::size_t i = 0; i < header.frames.size(); ++i) {
      frames_.push_back(frames.get() + i * header.frame_bytes());
    }
    std::ranges::move(header.frames, std::back_inserter(places_));
    owned_.push_back(std::move(frames));
    allowed_bytes_ += 2 * bytes;
    return {};
  }

  void lay_out(const DicomSeries& series, VoxelLayout& layout) const {
    const std::size_t columns = first_.columns;
    const std::size_t voxels = first_.frame_voxels();
    layout.dtype = dicom_dtype(first_);
    layout.affine = series.affine;
    layout.axes = {{{columns, 1}, {first_.rows, columns}, {frames_.size(), voxels}}};
    if (!series.affine.has_value()) {
      std::swap(layout.axes[0], layout.axes[2]);  // as in an array: depth, height, width
    }
    layout.channel_stride = voxels * frames_.size();
  }

  /// Frames one behind the other, in the order of the series.
  void copy(const DicomSeries& series, Voxels& voxels) const {
    const std::size_t bytes = first_.frame_bytes();
    voxels.owned = std::make_unique_for_overwrite<char[]>(bytes * frames_.size());
    char* into = voxels.owned.get();
    for (const std::size_t i : series.order) {
      std::memcpy(into, frames_[i], bytes);
      into += bytes;
    }
    voxels.bytes = Bytes(voxels.owned.get(), bytes * frames_.size());
  }

  /// The same with each slice's own slope and intercept, as PET has them: FP32.
  void scale(const DicomSeries& series, Voxels& voxels) const {
    const std::size_t count = first_.frame_voxels();
    const DType stored = voxels.layout.dtype;
    voxels.layout.dtype = DType::kFp32;
    voxels.owned = std::make_unique_for_overwrite<char[]>(voxels.layout.data_bytes());
    voxels.bytes = Bytes(voxels.owned.get(), voxels.layout.data_bytes());
    char* into = voxels.owned.get();
    for (const std::size_t i : series.order) {
      scale_frame(stored, frames_[i], places_[i], count, into);
      into += count * sizeof(float);
    }
  }

  static void scale_frame(DType stored, const char* from, const DicomPlace& place,
                          std::size_t count, char* into) {
    const auto with = [&]<typename T>(T) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<double>(load_value<T, false>(from + i * sizeof(T)));
        const auto value = static_cast<float>(number * place.slope + place.intercept);
        std::memcpy(into + i * sizeof value, &value, sizeof value);
      }
    };
    switch (stored) {
      case DType::kUint8:
        return with(std::uint8_t{});
      case DType::kInt8:
        return with(std::int8_t{});
      case DType::kUint16:
        return with(std::uint16_t{});
      case DType::kInt16:
        return with(std::int16_t{});
      case DType::kUint32:
        return with(std::uint32_t{});
      default:
        return with(std::int32_t{});
    }
  }

  const VolumeLimits& limits_;
  const DicomOptions& options_;
  DicomHeader first_;
  std::vector<DicomPlace> places_;   // one a frame
  std::vector<const char*> frames_;  // likewise, into owned_
  std::vector<std::unique_ptr<char[]>> owned_;
  std::int64_t voxel_count_ = 0;
  std::size_t inflated_bytes_ = 0;
  std::size_t allowed_bytes_ = 0;
  std::string file_;  // the memory of one file of an archive
};

std::size_t inflated_size(const std::vector<ZipEntry>& entries) {
  return std::transform_reduce(entries.begin(), entries.end(), std::size_t{0}, std::plus<>(),
                               [](const ZipEntry& entry) { return entry.size; });
}

}  // namespace

bool begins_like_dicom(Bytes raw) { return is_zip(raw) || is_dicom(raw); }

Result<Voxels> read_dicom(Bytes raw, const VolumeLimits& limits, const DicomOptions& options) {
  Collector collector(limits, options);
  if (is_zip(raw)) {
    BRAID_TRY(const std::vector<ZipEntry> entries, zip_entries(raw, kFilesMax));
    BRAID_TRY_DO(check_gain(raw.size(), inflated_size(entries), limits));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      BRAID_TRY_DO(collector.add(entries[i]).within(fmt::format("file {}", i + 1)));
    }
  } else {
    BRAID_TRY_DO(collector.add(raw));
  }
  return collector.finish();
}

}  // namespace braid
