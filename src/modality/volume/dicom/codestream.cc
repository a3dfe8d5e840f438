// Markers of JPEG: ITU-T T.81, table B.1, and T.87 for JPEG-LS. Of JPEG 2000: ITU-T T.800, annex A.
#include "modality/volume/dicom/codestream.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

Error wrong(std::string_view why) {
  return Error{Code::kInvalidArgument, fmt::format("a compressed frame {}", why)};
}

Error unsupported(std::string_view what) {
  return Error{Code::kUnsupported,
               fmt::format("{} is not read; save the DICOM file as explicit little-endian", what)};
}

std::size_t byte_at(Bytes bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

std::size_t big2(Bytes bytes, std::size_t place) {
  return load_value<std::uint16_t, true>(bytes.data() + place);
}

std::uint64_t big4(Bytes bytes, std::size_t place) {
  return load_value<std::uint32_t, true>(bytes.data() + place);
}

/// A marker and what follows its length.
struct Segment {
  std::size_t marker = 0;  // the byte behind 0xFF
  Bytes body;
};

/// The segment at `at`, which is moved behind it.
Result<Segment> next_segment(Bytes bytes, std::size_t& at) {
  while (at < bytes.size() && byte_at(bytes, at) == 0xFF && at + 1 < bytes.size() &&
         byte_at(bytes, at + 1) == 0xFF) {
    ++at;  // fill bytes
  }
  if (bytes.size() < at + 4 || byte_at(bytes, at) != 0xFF) {
    return wrong("is damaged: no marker where one must be");
  }
  const std::size_t marker = byte_at(bytes, at + 1);
  const std::size_t size = big2(bytes, at + 2);
  if (size < 2 || size > bytes.size() - at - 2) {
    return wrong("is cut short in its header");
  }
  const Segment segment{marker, bytes.substr(at + 4, size - 2)};
  at += 2 + size;
  return segment;
}

Result<Codestream> checked(std::uint64_t columns, std::uint64_t rows, std::uint64_t components,
                           Codestream found, const DicomHeader& header) {
  if (columns != header.columns || rows != header.rows || components != 1) {
    return wrong(fmt::format("is {} × {} of {} components; the file says {} × {} of 1", rows,
                             columns, components, header.rows, header.columns));
  }
  const unsigned bits = found.precision <= 8 ? 8 : 16;
  if (found.precision < 2 || found.precision > 16 || bits != header.bits_allocated) {
    return wrong(
        fmt::format("has {} bits; the file says {}", found.precision, header.bits_allocated));
  }
  return found;
}

bool is_start_of_frame(std::size_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// Baseline, extended and lossless with Huffman codes.
bool is_decoded(std::size_t marker) { return marker == 0xC0 || marker == 0xC1 || marker == 0xC3; }

Result<Codestream> inspect_jpeg(Bytes bytes, const DicomHeader& header) {
  if (!bytes.starts_with("\xFF\xD8")) {
    return wrong("does not begin as JPEG");
  }
  const bool is_jpeg_ls = header.packing == DicomPacking::kJpegLs;
  for (std::size_t at = 2;;) {
    BRAID_TRY(const Segment segment, next_segment(bytes, at));
    if (segment.marker == 0xDA || segment.marker == 0xD9) {
      return wrong("has no header of its own");
    }
    const bool is_frame = is_start_of_frame(segment.marker) || segment.marker == 0xF7;
    if (!is_frame) {
      continue;
    }
    if (is_jpeg_ls ? segment.marker != 0xF7 : !is_decoded(segment.marker)) {
      return unsupported(fmt::format("JPEG with the marker FF{:02X}", segment.marker));
    }
    if (segment.body.size() < 6) {
      return wrong("is cut short in its header");
    }
    const Codestream found{static_cast<unsigned>(byte_at(segment.body, 0)), false};
    return checked(big2(segment.body, 3), big2(segment.body, 1), byte_at(segment.body, 5), found,
                   header);
  }
}

constexpr std::uint64_t kTilesMax = 1024;

/// Tiles and precincts are allocated one by one.
Result<void> check_tiles(Bytes size) {
  const std::uint64_t width = big4(size, 2);
  const std::uint64_t height = big4(size, 6);
  const std::uint64_t tile_width = big4(size, 18);
  const std::uint64_t tile_height = big4(size, 22);
  const bool at_origin =
      big4(size, 10) == 0 && big4(size, 14) == 0 && big4(size, 26) == 0 && big4(size, 30) == 0;
  if (!at_origin || tile_width == 0 || tile_height == 0) {
    return unsupported("JPEG 2000 with offsets");
  }
  const std::uint64_t tiles =
      ((width + tile_width - 1) / tile_width) * ((height + tile_height - 1) / tile_height);
  if (tiles > kTilesMax) {
    return unsupported(fmt::format("JPEG 2000 of {} tiles", tiles));
  }
  return {};
}

Result<void> check_coding(Bytes body) {
  constexpr std::size_t kLevelsMax = 32;
  constexpr std::size_t kPrecinctMin = 5;  // 2^5 pixels
  if (body.size() < 10 || byte_at(body, 5) > kLevelsMax) {
    return wrong("is damaged in its coding style");
  }
  const std::size_t levels = byte_at(body, 5);
  if ((byte_at(body, 0) & 1) == 0) {
    return {};
  }
  if (body.size() < 10 + levels + 1) {
    return wrong("is cut short in its coding style");
  }
  for (std::size_t level = 0; level <= levels; ++level) {
    const std::size_t exponents = byte_at(body, 10 + level);
    if (std::min(exponents & 15, exponents >> 4) < kPrecinctMin) {
      return unsupported("JPEG 2000 with precincts of less than 32 pixels");
    }
  }
  return {};
}

Result<Codestream> inspect_jpeg2000(Bytes bytes, const DicomHeader& header) {
  constexpr std::size_t kSizeBytes = 39;  // with one component
  if (!bytes.starts_with("\xFF\x4F\xFF\x51")) {
    return wrong("does not begin as a JPEG 2000 codestream");
  }
  std::size_t at = 2;
  BRAID_TRY(const Segment size, next_segment(bytes, at));
  if (size.body.size() < kSizeBytes) {
    return wrong("is cut short in its header");
  }
  const std::size_t depth = byte_at(size.body, 36);
  const Codestream found{static_cast<unsigned>((depth & 0x7F) + 1), depth >> 7 == 1};
  BRAID_TRY_DO(checked(big4(size.body, 2), big4(size.body, 6), big2(size.body, 34), found, header));
  BRAID_TRY_DO(check_tiles(size.body));
  if (byte_at(size.body, 37) != 1 || byte_at(size.body, 38) != 1) {
    return unsupported("JPEG 2000 with subsampling");
  }
  while (true) {
    BRAID_TRY(const Segment segment, next_segment(bytes, at));
    if (segment.marker == 0x90) {  // the first tile
      return found;
    }
    if (segment.marker == 0x52) {
      BRAID_TRY_DO(check_coding(segment.body));
    }
  }
}

}  // namespace

Result<Codestream> inspect_codestream(Bytes bytes, const DicomHeader& header) {
  return header.packing == DicomPacking::kJpeg2000 ? inspect_jpeg2000(bytes, header)
                                                   : inspect_jpeg(bytes, header);
}

}  // namespace braid
