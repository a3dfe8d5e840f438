#include "modality/image/write_png.h"

#include <fmt/format.h>
#include <png.h>

namespace braid {
namespace {

Error wrong(const png_image& image) {
  return Error{Code::kExhausted, fmt::format("the picture cannot be written: {}", image.message)};
}

}  // namespace

Result<std::string> write_png(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.row(0), 0, nullptr) == 0) {
    return wrong(image);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace braid
