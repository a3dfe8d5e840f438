#include "modality/image/decode.h"

#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kJpeg = "\xFF\xD8\xFF"sv;
constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n"sv;

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* name;
};

/// Formats that people send and that this build does not read.
constexpr Signature kOthers[] = {
    {0, "GIF8"sv, "GIF"},
    {8, "WEBP"sv, "WebP"},
    {0, "BM"sv, "BMP"},
    {0, "II*\0"sv, "TIFF"},
    {0, "MM\0*"sv, "TIFF"},
    {0, "II+\0"sv, "BigTIFF"},
    {4, "ftypavif"sv, "AVIF"},
    {4, "ftypavis"sv, "AVIF"},
    {4, "ftypheic"sv, "HEIC"},
    {4, "ftypheix"sv, "HEIC"},
    {4, "ftypmif1"sv, "HEIF"},
    {0, "\xFF\x4F\xFF\x51"sv, "JPEG 2000"},
    {4, "jP  \r\n\x87\n"sv, "JPEG 2000"},
    {0, "\xFF\x0A"sv, "JPEG XL"},
    {4, "JXL \r\n\x87\n"sv, "JPEG XL"},
    {0, "\x8AMNG\r\n\x1A\n"sv, "MNG"},
    {0, "\x8BJNG\r\n\x1A\n"sv, "JNG"},
    {0, "qoif"sv, "QOI"},
    {0, "8BPS"sv, "Photoshop"},
    {0, "\0\0\1\0"sv, "ICO"},
    {128, "DICM"sv, "DICOM"},
    {0, "%PDF"sv, "PDF"},
    {0, "<svg"sv, "SVG"},
};

}  // namespace

Result<void> check_pixels(Extent extent, const DecodeOptions& options) {
  const auto limit = static_cast<std::uint64_t>(options.pixels_max);
  if (extent.height != 0 && extent.width > limit / extent.height) {
    return Error{Code::kExhausted, fmt::format("the picture has {} × {} pixels; pixels_max is {}",
                                               extent.width, extent.height, options.pixels_max)};
  }
  return {};
}

Result<Decoded> decode_picture(Bytes raw, const DecodeOptions& options) {
  if (raw.empty()) {
    return Error{Code::kInvalidArgument, "the picture is empty: 0 bytes came"};
  }
  if (raw.starts_with(kJpeg)) {
    return decode_jpeg(raw, options);
  }
  if (raw.starts_with(kPng)) {
    return decode_png(raw, options);
  }
  for (const Signature& other : kOthers) {
    if (raw.size() >= other.at && raw.substr(other.at).starts_with(other.bytes)) {
      return Error{Code::kUnsupported,
                   fmt::format("a {} picture came; convert it to JPEG or PNG", other.name)};
    }
  }
  return Error{Code::kInvalidArgument,
               fmt::format("the {} bytes that came are no JPEG and no PNG", raw.size())};
}

}  // namespace braid
