#include "modality/volume/dicom/transfer_syntax.h"

#include <fmt/format.h>

namespace braid {
namespace {

struct Known {
  std::string_view uid;
  DicomSyntax syntax;
};

constexpr DicomEncoding kExplicit = {};

constexpr Known kKnown[] = {
    {"1.2.840.10008.1.2", {DicomPacking::kNative, {.is_implicit = true, .swapped = false}}},
    {"1.2.840.10008.1.2.1", {DicomPacking::kNative, kExplicit}},
    {"1.2.840.10008.1.2.2", {DicomPacking::kNative, {.is_implicit = false, .swapped = true}}},
    {"1.2.840.10008.1.2.5", {DicomPacking::kRle, kExplicit}},
    {"1.2.840.10008.1.2.4.50", {DicomPacking::kJpeg, kExplicit}},      // baseline, 8 bits
    {"1.2.840.10008.1.2.4.51", {DicomPacking::kJpeg, kExplicit}},      // extended, 12 bits
    {"1.2.840.10008.1.2.4.57", {DicomPacking::kJpeg, kExplicit}},      // lossless
    {"1.2.840.10008.1.2.4.70", {DicomPacking::kJpeg, kExplicit}},      // lossless, predictor 1
    {"1.2.840.10008.1.2.4.80", {DicomPacking::kJpegLs, kExplicit}},    // lossless
    {"1.2.840.10008.1.2.4.81", {DicomPacking::kJpegLs, kExplicit}},    // near-lossless
    {"1.2.840.10008.1.2.4.90", {DicomPacking::kJpeg2000, kExplicit}},  // lossless
    {"1.2.840.10008.1.2.4.91", {DicomPacking::kJpeg2000, kExplicit}},
};

struct Foreign {
  std::string_view uid;  // its beginning
  const char* name;
};

constexpr Foreign kForeign[] = {
    {"1.2.840.10008.1.2.1.98", "encapsulated uncompressed"},
    {"1.2.840.10008.1.2.1.99", "deflated"},
    {"1.2.840.10008.1.2.4.92", "JPEG 2000 part 2"},
    {"1.2.840.10008.1.2.4.93", "JPEG 2000 part 2"},
    {"1.2.840.10008.1.2.4.94", "JPIP"},
    {"1.2.840.10008.1.2.4.95", "JPIP"},
    {"1.2.840.10008.1.2.4.10", "MPEG video"},
    {"1.2.840.10008.1.2.4.11", "JPEG XL"},
    {"1.2.840.10008.1.2.4.20", "HTJ2K"},
    {"1.2.840.10008.1.2.4", "a retired JPEG process"},
    {"1.2.840.10008.1.2.7", "SMPTE video"},
    {"1.2.840.10008.1.2.8", "deflated image frames"},
};

}  // namespace

Result<DicomSyntax> dicom_syntax(std::string_view uid) {
  for (const Known& known : kKnown) {
    if (uid == known.uid) {
      return known.syntax;
    }
  }
  const char* name = "unknown";
  for (const Foreign& foreign : kForeign) {
    if (uid.starts_with(foreign.uid)) {
      name = foreign.name;
      break;
    }
  }
  return Error{Code::kUnsupported,
               fmt::format("the DICOM file's transfer syntax is not read ({}); save it as explicit "
                           "little-endian",
                           name)};
}

}  // namespace braid
