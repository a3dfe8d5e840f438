#pragma once
// What the module `dicom` gives: compressed pictures of DICOM, by GDCM (JPEG), CharLS (JPEG-LS) and
// OpenJPEG (JPEG 2000). It is given one frame's
// codestream and the numbers that describe it, never a file with a patient's name in it.
// Threads: any.

#include <cstddef>
#include <cstdint>

namespace braid {

/// One frame of one sample a pixel. Whoever asks has compared the codestream's own header with it.
struct DicomFrame {
  enum class Packing : int { kJpeg, kJpegLs, kJpeg2000 };

  Packing packing;
  const char* transfer_syntax;  // its UID, ended by 0
  const char* codestream;
  std::size_t codestream_size;
  std::uint16_t rows;
  std::uint16_t columns;
  std::uint16_t bits_allocated;  // 8 or 16
  std::uint16_t bits_stored;     // the lowest ones
  bool is_signed;
};

enum class DicomDecoded : int {
  kDone = 0,
  kDamaged,  // the decoder gives up, or gives another number of bytes
  kMemory,
};

/// Writes rows × columns values of bits_allocated, little-endian, to `into`, which has exactly
/// `into_size` bytes.
using DicomDecode = DicomDecoded(const DicomFrame& frame, char* into, std::size_t into_size);

/// The version at its end goes up when anything above changes.
inline constexpr const char* kDicomDecodeSymbol = "braid_dicom_decode_1";

}  // namespace braid
