// JPEG by libjpeg-turbo, whose errors leave by longjmp. So no object with a destructor lives in a
// function that calls setjmp, nor in a callback: what has one belongs to JpegReader's caller.

#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h uses FILE and size_t

#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include "modality/image/decode.h"
#include "modality/image/exif.h"

namespace braid {
namespace {

// A progressive file of a few bytes a scan can ask for thousands of passes over the whole picture.
// Encoders write 10; a search for the smallest file up to 25.
constexpr int kScansMax = 64;
constexpr int kTooManyScans = -1;

/// libjpeg knows only the base, which is the first member.
struct Trap {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  int code;  // of jerror.h, or kTooManyScans
  char message[JMSG_LENGTH_MAX];
};

Trap& trap_of(j_common_ptr info) { return *reinterpret_cast<Trap*>(info->err); }

[[noreturn]] void on_error(j_common_ptr info) {
  Trap& trap = trap_of(info);
  trap.code = info->err->msg_code;
  info->err->format_message(info, trap.message);
  std::longjmp(trap.escape, 1);
}

/// What libjpeg calls a warning is mostly damage: it goes on with grey, or with whatever its
/// buffers hold. These say only that an encoder was careless.
bool is_harmless(int code) {
  return code == JWRN_ADOBE_XFORM || code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
         code == JWRN_NOT_SEQUENTIAL;
}

void on_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) {
    on_error(info);
  }
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kScansMax) {
    Trap& trap = trap_of(info);
    trap.code = kTooManyScans;
    std::snprintf(trap.message, sizeof trap.message, "more than %d scans", kScansMax);
    std::longjmp(trap.escape, 1);
  }
}

class JpegReader {
 public:
  JpegReader() {
    info_.err = jpeg_std_error(&trap_.base);
    trap_.base.error_exit = on_error;
    trap_.base.emit_message = on_message;
    progress_.progress_monitor = on_progress;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&info_); }

  /// False: error() says why.
  bool read_header(Bytes raw) {
    if (setjmp(trap_.escape) != 0) {
      return false;
    }
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(raw.data()),
                 static_cast<unsigned long>(raw.size()));
    jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xFFFF);  // EXIF
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  /// Before any pixel is decoded.
  bool choose_output(unsigned int shrink) {
    if (setjmp(trap_.escape) != 0) {
      return false;
    }
    info_.scale_num = 1;
    info_.scale_denom = shrink;
    info_.out_color_space = is_cmyk() ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  bool read_rows(Picture& picture) {
    if (setjmp(trap_.escape) != 0) {
      return false;
    }
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = picture.row(info_.output_scanline);
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  Extent extent() const { return {info_.image_width, info_.image_height}; }
  Extent output_extent() const { return {info_.output_width, info_.output_height}; }
  bool is_cmyk() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  int orientation() const {
    constexpr std::string_view kExif("Exif\0\0", 6);
    for (const auto* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const Bytes data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (data.starts_with(kExif)) {
        return exif_orientation(data.substr(kExif.size()));
      }
    }
    return 1;
  }

  Error error() const {
    switch (trap_.code) {
      case JERR_BAD_PRECISION:
      case JERR_ARITH_NOTIMPL:
      case JERR_SOF_UNSUPPORTED:
      case JERR_CONVERSION_NOTIMPL:
        return {Code::kUnsupported, fmt::format("this kind of JPEG: {}", trap_.message)};
      case JERR_OUT_OF_MEMORY:
      case JERR_NO_BACKING_STORE:
      case JERR_IMAGE_TOO_BIG:
      case JERR_WIDTH_OVERFLOW:
      case kTooManyScans:
        return {Code::kExhausted, fmt::format("the JPEG is too large: {}", trap_.message)};
      default:
        return {Code::kInvalidArgument, fmt::format("the JPEG is damaged: {}", trap_.message)};
    }
  }

 private:
  Trap trap_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
};

unsigned int shrink_for(Extent extent, std::size_t draft_to) {
  const std::size_t room = draft_to == 0 ? 1 : std::min(extent.width, extent.height) / draft_to;
  return room >= 8 ? 8 : room >= 4 ? 4 : room >= 2 ? 2 : 1;
}

/// Adobe stores the complement of each ink: 255 is none. Red is the light that black lets through,
/// less the share of it that cyan takes: light − round(cyan · light ÷ 255), as Pillow rounds it.
void cmyk_to_rgba(Picture& picture) {
  for (std::size_t y = 0; y < picture.height(); ++y) {
    std::uint8_t* pixel = picture.row(y);
    for (std::size_t x = 0; x < picture.width(); ++x, pixel += kPixelBytes) {
      const int light = pixel[3];
      for (int c = 0; c < 3; ++c) {
        const int product = (255 - pixel[c]) * light + 128;
        pixel[c] = static_cast<std::uint8_t>(light - ((product + (product >> 8)) >> 8));
      }
      pixel[3] = 255;
    }
  }
}

}  // namespace

Result<Decoded> decode_jpeg(Bytes raw, const DecodeOptions& options) {
  JpegReader reader;
  if (!reader.read_header(raw)) {
    return reader.error();
  }
  BRAID_TRY_DO(check_pixels(reader.extent(), options));
  if (!reader.choose_output(shrink_for(reader.extent(), options.draft_to))) {
    return reader.error();
  }
  Decoded decoded{Picture(reader.output_extent())};
  decoded.orientation = reader.orientation();
  if (!reader.read_rows(decoded.picture)) {
    return reader.error();
  }
  if (reader.is_cmyk()) {
    cmyk_to_rgba(decoded.picture);
  }
  return decoded;
}

}  // namespace braid
