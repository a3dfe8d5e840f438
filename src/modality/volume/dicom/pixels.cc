#include "modality/volume/dicom/pixels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/module.h"
#include "modality/modules/dicom/decode.h"
#include "modality/volume/byte_order.h"
#include "modality/volume/dicom/codestream.h"
#include "modality/volume/dicom/fragments.h"
#include "modality/volume/dicom/rle.h"

namespace braid {
namespace {

/// Which bits of a stored number count.
struct Bits {
  unsigned stored = 0;
  unsigned shift = 0;  // unused ones below
  bool is_signed = false;
  bool inverted = false;
};

/// `T`: unsigned, as wide as the allocated bits. Shifted up to the sign bit and down again, which
/// drops what is above and spreads the sign.
template <typename T, bool swapped>
void clean(const char* from, std::size_t count, const Bits& bits, char* into) {
  using Signed = std::make_signed_t<T>;
  const unsigned unused = sizeof(T) * 8 - bits.stored;
  const unsigned up = unused - bits.shift;
  // low + high is 2^stored - 1, or -1 with a sign: in both cases all stored bits turned around.
  const T flip = bits.inverted ? static_cast<T>(~T{0}) : T{0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto raw = static_cast<T>(load_value<T, swapped>(from + i * sizeof(T)) ^ flip);
    const auto high = static_cast<T>(raw << up);
    const T value = bits.is_signed ? static_cast<T>(static_cast<Signed>(high) >> unused)
                                   : static_cast<T>(high >> unused);
    std::memcpy(into + i * sizeof(T), &value, sizeof value);
  }
}

template <typename T>
void clean(const char* from, std::size_t count, bool swapped, const Bits& bits, char* into) {
  const bool as_it_is = bits.stored == sizeof(T) * 8 && !bits.inverted;
  if (swapped && sizeof(T) > 1) {
    clean<T, true>(from, count, bits, into);
  } else if (!as_it_is) {
    clean<T, false>(from, count, bits, into);
  } else if (from != into) {
    std::memcpy(into, from, count * sizeof(T));
  }
}

/// `from` may be `into`.
void clean(const DicomHeader& header, const char* from, std::size_t count, bool swapped,
           const Bits& bits, char* into) {
  switch (header.bits_allocated) {
    case 8:
      return clean<std::uint8_t>(from, count, swapped, bits, into);
    case 16:
      return clean<std::uint16_t>(from, count, swapped, bits, into);
    default:
      return clean<std::uint32_t>(from, count, swapped, bits, into);
  }
}

Result<DicomDecode*> find_decoder() {
  BRAID_TRY(const Module module, Module::open("dicom"));
  return module.function<DicomDecode>(kDicomDecodeSymbol);
}

DicomFrame::Packing packing_of(const DicomHeader& header) {
  switch (header.packing) {
    case DicomPacking::kJpeg2000:
      return DicomFrame::Packing::kJpeg2000;
    case DicomPacking::kJpegLs:
      return DicomFrame::Packing::kJpegLs;
    default:
      return DicomFrame::Packing::kJpeg;
  }
}

/// One frame of JPEG, JPEG-LS or JPEG 2000. The module is opened for the first; `bits` becomes what
/// the codestream holds.
Result<void> decode(const DicomHeader& header, DicomDecode*& decoder, Bytes bytes, Bits& bits,
                    char* into) {
  BRAID_TRY(const Codestream codestream, inspect_codestream(bytes, header));
  if (decoder == nullptr) {
    BRAID_TRY(decoder, find_decoder());
  }
  const DicomFrame frame{packing_of(header),    header.transfer_syntax.c_str(),
                         bytes.data(),          bytes.size(),
                         header.rows,           header.columns,
                         header.bits_allocated, static_cast<std::uint16_t>(codestream.precision),
                         codestream.is_signed};
  // JPEG packs the stored bits; the others may hold fewer, with the sign in the highest of them.
  if (header.packing != DicomPacking::kJpeg) {
    bits.stored = std::min(bits.stored, codestream.precision);
  }
  switch (decoder(frame, into, header.frame_bytes())) {
    case DicomDecoded::kDone:
      return {};
    case DicomDecoded::kMemory:
      return Error{Code::kExhausted, "no memory to decode a compressed frame"};
    default:
      return Error{Code::kInvalidArgument, "a compressed frame is damaged or cut short"};
  }
}

Result<void> unpack_fragments(Bytes file, const DicomHeader& header, const Bits& bits, char* into) {
  std::vector<std::string> joined;
  BRAID_TRY(const std::vector<Bytes> frames,
            frames_of_fragments(file.substr(header.pixels_begin), header.frames.size(), joined));
  DicomDecode* decoder = nullptr;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    char* const frame = into + i * header.frame_bytes();
    Bits held = bits;
    if (header.packing == DicomPacking::kRle) {
      BRAID_TRY_DO(unpack_rle(frames[i], header.frame_voxels(), header.bits_allocated / 8U, frame));
    } else {
      BRAID_TRY_DO(decode(header, decoder, frames[i], held, frame));
    }
    clean(header, frame, header.frame_voxels(), false, held, frame);
  }
  return {};
}

}  // namespace

DType dicom_dtype(const DicomHeader& header) {
  switch (header.bits_allocated) {
    case 8:
      return header.is_signed ? DType::kInt8 : DType::kUint8;
    case 16:
      return header.is_signed ? DType::kInt16 : DType::kUint16;
    default:
      return header.is_signed ? DType::kInt32 : DType::kUint32;
  }
}

Result<void> unpack_frames(Bytes file, const DicomHeader& header, bool inverted, char* into) {
  const Bits bits{header.bits_stored,
                  static_cast<unsigned>(header.high_bit + 1 - header.bits_stored), header.is_signed,
                  inverted};
  if (header.packing != DicomPacking::kNative) {
    return unpack_fragments(file, header, bits, into);
  }
  const std::size_t count = header.frame_voxels() * header.frames.size();
  if (file.size() < header.pixels_begin + count * (header.bits_allocated / 8U)) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("the DICOM file is cut short in its pixels: {} of {} bytes are there",
                    file.size() - header.pixels_begin, count * (header.bits_allocated / 8U))};
  }
  clean(header, file.data() + header.pixels_begin, count, header.swapped, bits, into);
  return {};
}

Result<void> open_dicom_module() {
  BRAID_TRY_DO(find_decoder());
  return {};
}

}  // namespace braid
