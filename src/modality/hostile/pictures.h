#pragma once
// Hostile pictures: PNG and JPEG.

#include "modality/hostile/bits.h"
#include "modality/hostile/files.h"

namespace braid::hostile {

inline std::string chunk(const std::string& name, const std::string& content) {
  return big(content.size(), 4) + name + content + big(crc32(name + content), 4);
}

/// Of zlib (RFC 1950): `count` zeros.
inline std::string zeros_in_zlib(std::size_t count) {
  const std::uint32_t adler = static_cast<std::uint32_t>(count % 65521) << 16 | 1;
  return "\x78\x9c" + zeros_deflated("", count) + big(adler, 4);
}

/// A grey picture of eight bits and the chunks before its end.
inline std::string png(std::uint64_t width, std::uint64_t height, const std::string& chunks) {
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big(width, 4) + big(height, 4) + std::string("\x8\0\0\0\0", 5)) + chunks +
         chunk("IEND", "");
}

/// A JPEG whose frame says other extents.
inline std::string jpeg_of(std::uint64_t width, std::uint64_t height) {
  std::string file = shipped("image/rgb.jpg");
  const std::size_t frame = file.find("\xFF\xC0");
  BRAID_CHECK(frame != std::string::npos);
  return file.replace(frame + 5, 4, big(height, 2) + big(width, 2));
}

inline HostileFiles pictures() {
  return {
      {"png_header", "PNG whose header says 2^31 pixels", "image", "size: 8",
       [] { return png(65536, 32768, chunk("IDAT", zeros_in_zlib(1000))); }, Code::kExhausted,
       "pixels_max"},
      {"png_bomb", "PNG of 20000 × 20000 zeros in 0.4 MB", "image", "size: 8",
       [] { return png(20000, 20000, chunk("IDAT", zeros_in_zlib(20000UL * 20001))); },
       Code::kExhausted, "pixels_max"},
      {"png_behind", "PNG: 1 GB of zeros behind its 16 × 16 pixels", "image", "size: 8",
       [] { return png(16, 16, chunk("IDAT", zeros_in_zlib(std::size_t{1} << 30))); },
       Code::kInvalidArgument, "more data than"},
      {"png_text", "PNG with a text that inflates to 1 GB, and no pixels", "image", "size: 8",
       [] {
         const std::string text = std::string("note\0\0", 6) + zeros_in_zlib(std::size_t{1} << 30);
         return png(16, 16, chunk("zTXt", text));
       },
       Code::kInvalidArgument, "PNG"},
      {"jpeg_header", "JPEG whose header says 65500 × 65500 pixels", "image", "size: 8",
       [] { return jpeg_of(65500, 65500); }, Code::kExhausted, "pixels_max"},
  };
}

}  // namespace braid::hostile
