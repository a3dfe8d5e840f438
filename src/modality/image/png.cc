// PNG by libpng, whose errors leave by longjmp. So no object with a destructor lives in a function
// that calls setjmp, nor in a callback: what has one belongs to PngReader's caller.

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
#include <png.h>

#include "modality/image/decode.h"
#include "modality/image/exif.h"

namespace braid {
namespace {

// Behind the last row libpng inflates whatever is left, which a hostile file can make a thousand
// times its size. Checksum and padding take a few bytes.
constexpr std::size_t kRestMax = 8192;

struct Trap {
  std::jmp_buf escape;
  char message[256];
};

struct Source {
  const char* at;
  std::size_t left;
  std::size_t allowance;  // of bytes that may still be read
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  Trap& trap = *static_cast<Trap*>(png_get_error_ptr(png));
  std::snprintf(trap.message, sizeof trap.message, "%s", message);
  std::longjmp(trap.escape, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, std::size_t size) {
  Source& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (size > source.left) {
    png_error(png, "the file ends early");
  }
  if (size > source.allowance) {
    png_error(png, "more data than the picture needs");
  }
  std::copy_n(source.at, size, reinterpret_cast<char*>(to));
  source.at += size;
  source.left -= size;
  source.allowance -= size;
}

class PngReader {
 public:
  explicit PngReader(Bytes raw)
      : source_{raw.data(), raw.size(), raw.size()},
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &trap_, on_error, on_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    BRAID_CHECK(info_ != nullptr);  // only without memory, or with another libpng than compiled for
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// All chunks before the pixels. False: error() says why.
  bool read_header() {
    if (setjmp(trap_.escape) != 0) {
      return false;
    }
    png_set_read_fn(png_, &source_, on_read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_pixels() is the limit
    // Texts, profiles and gamma are skipped unread: they cost time and change no pixel here.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT,
                                reinterpret_cast<png_const_bytep>("eXIf"), 1);
    png_read_info(png_, info_);
    return true;
  }

  /// All chunks to the last one, so that a file that ends early is not taken for a whole one.
  bool read_rows(Picture& picture) {
    if (setjmp(trap_.escape) != 0) {
      return false;
    }
    png_set_expand(png_);  // palette to colours, 1 … 4 bits to 8, a transparent colour to alpha
    png_set_strip_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_add_alpha(png_, 255, PNG_FILLER_AFTER);
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != picture.width() * kPixelBytes) {
      png_error(png_, "rows of an unforeseen size");
    }
    for (int pass = 1; pass <= passes; ++pass) {
      for (std::size_t y = 0; y < picture.height(); ++y) {
        if (pass == passes && y + 2 >= picture.height()) {
          // The last pass of an interlaced picture holds only every other row.
          source_.allowance = picture.width() * 2 * kPixelBytes * 2 + kRestMax;
        }
        png_read_row(png_, picture.row(y), nullptr);
      }
    }
    source_.allowance = source_.left;
    png_read_end(png_, info_);
    return true;
  }

  Extent extent() const {
    return {png_get_image_width(png_, info_), png_get_image_height(png_, info_)};
  }
  bool has_alpha() const {
    return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
           png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  }

  int orientation() const {
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png_, info_, &size, &exif) == 0) {
      return 1;
    }
    return exif_orientation({reinterpret_cast<const char*>(exif), size});
  }

  Error error() const {
    return {Code::kInvalidArgument, fmt::format("the PNG is damaged: {}", trap_.message)};
  }

 private:
  Trap trap_ = {};
  Source source_;
  png_structp png_;
  png_infop info_;
};

}  // namespace

Result<Decoded> decode_png(Bytes raw, const DecodeOptions& options) {
  PngReader reader(raw);
  if (!reader.read_header()) {
    return reader.error();
  }
  BRAID_TRY_DO(check_pixels(reader.extent(), options));
  const bool has_alpha = reader.has_alpha();
  Decoded decoded{Picture(reader.extent()), has_alpha};
  if (!reader.read_rows(decoded.picture)) {
    return reader.error();
  }
  decoded.orientation = reader.orientation();
  return decoded;
}

}  // namespace braid
