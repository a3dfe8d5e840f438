#pragma once
// DicomHeader: what a DICOM file says of its pictures before the first pixel: size, bits, packing,
// and where each of them lies in the patient. Nothing of the patient's name, number or dates is
// kept, so nothing of them can leave in an error.
// Threads: values and a pure function.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

/// How pixels are packed; PS3.5, annex A.
enum class DicomPacking { kNative, kRle, kJpeg, kJpegLs, kJpeg2000 };

/// Of one frame. What is missing the file does not say.
struct DicomPlace {
  std::optional<std::array<double, 3>> position;  // of the first pixel: mm to the left, posterior,
                                                  // superior
  std::optional<std::array<double, 6>> orientation;  // directions of a row and of a column
  std::optional<std::array<double, 2>> spacing;      // mm between rows, between columns
  double slope = 1;                                  // value = stored · slope + intercept
  double intercept = 0;
};

struct DicomHeader {
  DicomPacking packing = DicomPacking::kNative;
  std::string transfer_syntax;  // its UID, one of those that are read
  bool swapped = false;         // pixels are big-endian
  std::string series;           // only to be compared
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  std::uint16_t bits_allocated = 0;  // 8, 16 or 32
  std::uint16_t bits_stored = 0;     // 1 … bits_allocated
  std::uint16_t high_bit = 0;        // bits_stored - 1 … bits_allocated - 1
  bool is_signed = false;
  bool is_monochrome1 = false;     // low values are meant to look bright
  double thickness = 0;            // mm from slice to slice if there is one alone; 0: unknown
  std::vector<DicomPlace> frames;  // one or more
  std::size_t pixels_begin = 0;    // in the file
  std::optional<std::size_t> pixels_size;  // in bytes; none: in fragments

  std::size_t frame_voxels() const { return std::size_t{rows} * columns; }
  std::size_t frame_bytes() const { return frame_voxels() * (bits_allocated / 8U); }
};

/// Whether the bytes have DICOM's mark.
bool is_dicom(Bytes raw);

struct DicomStart {
  std::optional<DicomHeader> header;  // none: these bytes end before the pixels, read more
  bool is_directory = false;          // DICOMDIR: lists files, holds none; there is no header
};

/// `start` is the file or its start; then `is_whole` is false, and only that may give no header.
/// kUnsupported by name for colours, palettes, segmentations, doses, lookup tables, real numbers,
/// several frames without places, deflated files and packings that are not read; kExhausted above
/// `voxels_max`; else kInvalidArgument.
Result<DicomStart> read_dicom_header(Bytes start, bool is_whole, std::int64_t voxels_max);

}  // namespace braid
