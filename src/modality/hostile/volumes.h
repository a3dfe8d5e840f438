#pragma once
// Hostile volumes: NIfTI, NPY and DICOM.

#include "modality/hostile/bits.h"
#include "modality/hostile/files.h"

namespace braid::hostile {

/// A NIfTI header of whole numbers with 16 bits, without voxels.
inline std::string nifti_head(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  std::string head = shipped("volume/ct_ras.nii").substr(0, 352);
  head.replace(40, 8, little(3, 2) + little(x, 2) + little(y, 2) + little(z, 2));
  head.replace(70, 4, little(4, 2) + little(16, 2));
  head.replace(108, 4, std::string("\0\0\xB0\x43", 4));  // voxels begin at byte 352
  return head;
}

/// In gzip. Its checksum is wrong: nobody should read so far.
inline std::string zeros_gzipped(const std::string& head, std::size_t count) {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10) + zeros_deflated(head, count) +
         little(0, 4) + little(head.size() + count, 4);
}

/// A DICOM file with another value of two bytes in the group of pictures (0028).
inline std::string dicom_with(std::string file, int element, std::uint64_t value) {
  const std::string tag = little(0x28, 2) + little(static_cast<std::uint64_t>(element), 2) + "US";
  const std::size_t at = file.find(tag);
  BRAID_CHECK(at != std::string::npos);
  return file.replace(at + 8, 2, little(value, 2));
}

/// Where the pixels' element begins in the DICOM file that is the model of all of them here.
inline std::size_t pixels_of(const std::string& file) {
  const std::size_t at = file.find(std::string("\xe0\x7f\x10\0OW", 6));
  BRAID_CHECK(at != std::string::npos);
  return at;
}

/// The head of a slice of 1024 × 1024 pixels, up to its pixels.
inline std::string slice_head() {
  std::string file = shipped("volume/dicom/CT_small.dcm");
  file = dicom_with(dicom_with(file, 0x10, 1024), 0x11, 1024);
  const std::size_t pixels = pixels_of(file);
  return file.substr(0, pixels + 8) + little(1024 * 1024 * 2, 4);
}

/// A zip of `copies` files that all inflate to `head` and `zeros`. The checksums are wrong.
inline std::string zip_of(const std::string& head, std::size_t zeros, std::size_t copies) {
  const std::string body = zeros_deflated(head, zeros);
  const std::string common = little(20, 2) + little(0, 2) + little(8, 2) + little(0, 8) +
                             little(body.size(), 4) + little(head.size() + zeros, 4) +
                             little(1, 2) + little(0, 2);
  const std::string local = "PK\3\4" + common + "a" + body;
  std::string directory;
  for (std::size_t i = 0; i < copies; ++i) {
    directory +=
        "PK\1\2" + little(20, 2) + common + little(0, 10) + little(i * local.size(), 4) + "a";
  }
  return repeated(local, copies) + directory + "PK\5\6" + little(0, 4) + little(copies, 2) +
         little(copies, 2) + little(directory.size(), 4) + little(local.size() * copies, 4) +
         little(0, 2);
}

inline std::string crowded_dicom() {
  std::string file = shipped("volume/dicom/CT_small.dcm");
  return file.insert(pixels_of(file), repeated(std::string("\x29\0\x10\x10UL\0\0", 8), 1'000'000));
}

/// The head of a NumPy array of FP32, 128 bytes.
inline std::string npy_head(const std::string& shape) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  head.resize(117, ' ');
  return std::string("\x93NUMPY\1\0\x76\0", 10) + head + "\n";
}

inline HostileFiles volumes() {
  return {
      {"nifti_header", "NIfTI whose header says 2^31 voxels", "volume", "size: 8",
       [] { return nifti_head(2048, 2048, 512); }, Code::kExhausted, "voxels_max"},
      {"npy_header", "NPY whose header says 2^31 voxels", "volume", "size: 8",
       [] { return npy_head("(2048, 2048, 512)"); }, Code::kExhausted, "voxels_max"},
      {"dicom_header", "DICOM whose header says 2^31 voxels", "volume", "size: 8",
       [] {
         return dicom_with(dicom_with(shipped("volume/dicom/CT_small.dcm"), 0x10, 65535), 0x11,
                           32769);
       },
       Code::kExhausted, "voxels_max"},
      {"nifti_gz_bomb", "gz NIfTI: 400 MB of zeros in 0.4 MB", "volume", "size: 8",
       [] { return zeros_gzipped(nifti_head(512, 512, 800), std::size_t{512} * 512 * 800 * 2); },
       Code::kExhausted, "gain_max"},
      {"nifti_gz_behind", "gz NIfTI: 1 GB of zeros behind a small volume", "volume", "size: 8",
       [] { return zeros_gzipped(nifti_head(16, 16, 16), std::size_t{1} << 30); },
       Code::kInvalidArgument, "holds more than"},
      {"npy_gz_bomb", "gz NPY: 268 MB of zeros in 0.3 MB", "volume", "size: 8",
       [] { return zeros_gzipped(npy_head("(64, 2048, 512)"), std::size_t{1} << 28); },
       Code::kExhausted, "gain_max"},
      {"dicom_zip_bomb", "zip of one DICOM slice and 1 GB of zeros", "volume", "size: 8",
       [] { return zip_of(slice_head(), std::size_t{1} << 30, 1); }, Code::kExhausted, "gain_max"},
      {"dicom_zip_crowd", "zip of 1000 DICOM slices, 2 GB of zeros", "volume", "size: 8",
       [] { return zip_of(slice_head(), std::size_t{1024} * 1024 * 2, 1000); }, Code::kExhausted,
       "gain_max"},
      {"dicom_tags", "DICOM with a million elements", "volume", "size: 8",
       [] { return crowded_dicom(); }, Code::kExhausted, "more than 100000 elements"},
  };
}

}  // namespace braid::hostile
