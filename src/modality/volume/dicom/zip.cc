// Format: PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (its
// end).
#include "modality/volume/dicom/zip.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kDirectoryBytes = 46;  // of an entry, without its name
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCommentMax = 65535;
constexpr std::size_t kGainMax = 1032;  // of deflate
constexpr Bytes kLocalMark = "PK\3\4";
constexpr Bytes kDirectoryMark = "PK\1\2";
constexpr Bytes kEndMark = "PK\5\6";

Error wrong(const std::string& why) {
  return Error{Code::kInvalidArgument, "the zip archive " + why};
}

std::size_t number2(Bytes from, std::size_t place) {
  return load_value<std::uint16_t, false>(from.data() + place);
}

std::size_t number4(Bytes from, std::size_t place) {
  return load_value<std::uint32_t, false>(from.data() + place);
}

/// Where the directory's end begins: the last mark whose comment fills the rest.
Result<std::size_t> find_end(Bytes raw) {
  const std::size_t lowest = raw.size() - std::min(raw.size(), kEndBytes + kCommentMax);
  for (std::size_t at = raw.size() - std::min(raw.size(), kEndBytes) + 1; at > lowest; --at) {
    const Bytes end = raw.substr(at - 1);
    if (end.size() >= kEndBytes && end.starts_with(kEndMark) &&
        kEndBytes + number2(end, 20) == end.size()) {
      return at - 1;
    }
  }
  return wrong("is cut short: it has no directory at its end");
}

struct Directory {
  Bytes bytes;
  std::size_t begin = 0;  // files lie before
  std::size_t count = 0;
};

Result<Directory> find_directory(Bytes raw, std::size_t files_max) {
  BRAID_TRY(const std::size_t at, find_end(raw));
  const Bytes end = raw.substr(at);
  const std::size_t count = number2(end, 10);
  const std::size_t size = number4(end, 12);
  const std::size_t begin = number4(end, 16);
  if (count == 0xFFFF || size == 0xFFFFFFFF || begin == 0xFFFFFFFF) {
    return Error{Code::kUnsupported,
                 "a zip64 archive is not read; send fewer files, or without zip64"};
  }
  if (number2(end, 4) != 0 || number2(end, 6) != 0 || number2(end, 8) != count) {
    return Error{Code::kUnsupported, "a zip archive in several parts is not read; send one"};
  }
  if (count > files_max) {
    return Error{Code::kExhausted,
                 fmt::format("the zip archive has {} files; {} is the most", count, files_max)};
  }
  if (size > at || begin > at - size) {
    return wrong("has a directory that lies outside it");
  }
  return Directory{raw.substr(begin, size), begin, count};
}

Result<ZipEntry> read_entry(Bytes raw, std::size_t directory_begin, Bytes header,
                            std::size_t number) {
  const std::size_t method = number2(header, 10);
  if ((number2(header, 8) & 1) != 0) {
    return Error{Code::kUnsupported, "the zip archive is encrypted; send it without a password"};
  }
  if (method != 0 && method != 8) {
    return Error{Code::kUnsupported,
                 fmt::format("file {} of the zip archive is packed by method {}; deflate (8) and "
                             "stored (0) are read",
                             number, method)};
  }
  const std::size_t stored = number4(header, 20);
  const std::size_t local = number4(header, 42);
  ZipEntry entry{
      {}, method == 8, number4(header, 24), static_cast<std::uint32_t>(number4(header, 16))};
  if (stored == 0xFFFFFFFF || entry.size == 0xFFFFFFFF || local == 0xFFFFFFFF) {
    return Error{Code::kUnsupported, "a zip64 archive is not read; send it without zip64"};
  }
  if (directory_begin < kLocalBytes || local > directory_begin - kLocalBytes ||
      !raw.substr(local).starts_with(kLocalMark)) {
    return wrong(fmt::format("says a wrong place of file {}", number));
  }
  const Bytes start = raw.substr(local, kLocalBytes);
  const std::size_t begin = local + kLocalBytes + number2(start, 26) + number2(start, 28);
  if (begin > directory_begin || stored > directory_begin - begin) {
    return wrong(fmt::format("is damaged at file {}", number));
  }
  if (entry.deflated ? entry.size / kGainMax > stored : entry.size != stored) {
    return wrong(fmt::format("of file {} has {} bytes, which cannot hold the {} that it promises",
                             number, stored, entry.size));
  }
  entry.stored = raw.substr(begin, stored);
  return entry;
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};

Error damaged() { return wrong("holds a file that is damaged"); }

}  // namespace

bool is_zip(Bytes raw) { return raw.starts_with(kLocalMark) || raw.starts_with(kEndMark); }

Result<std::vector<ZipEntry>> zip_entries(Bytes raw, std::size_t files_max) {
  BRAID_TRY(const Directory directory, find_directory(raw, files_max));
  std::vector<ZipEntry> entries;
  Bytes rest = directory.bytes;
  std::size_t stored = 0;
  for (std::size_t number = 1; number <= directory.count; ++number) {
    if (rest.size() < kDirectoryBytes || !rest.starts_with(kDirectoryMark)) {
      return wrong("has a damaged directory");
    }
    const std::size_t size =
        kDirectoryBytes + number2(rest, 28) + number2(rest, 30) + number2(rest, 32);
    if (size > rest.size()) {
      return wrong("has a damaged directory");
    }
    BRAID_TRY(ZipEntry entry, read_entry(raw, directory.begin, rest, number));
    rest.remove_prefix(size);
    stored += entry.stored.size();
    if (stored > raw.size()) {
      return wrong("has files that overlap");  // a bomb that says the same bytes many times
    }
    if (entry.size > 0) {
      entries.push_back(entry);
    }
  }
  return entries;
}

Result<std::string> unzip_start(const ZipEntry& entry, std::size_t size) {
  if (!entry.deflated) {
    return std::string(entry.stored.substr(0, size));
  }
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return Error{Code::kExhausted, "no memory to inflate a zip archive"};
  }
  const std::unique_ptr<z_stream, EndInflate> ends(&stream);
  std::string start(std::min(size, entry.size), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(entry.stored.data()));
  stream.avail_in = static_cast<uInt>(entry.stored.size());  // below 4 GB in this format
  stream.next_out = reinterpret_cast<Bytef*>(start.data());
  stream.avail_out = static_cast<uInt>(start.size());
  const int state = ::inflate(&stream, Z_SYNC_FLUSH);
  if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
    return damaged();
  }
  start.resize(start.size() - stream.avail_out);
  return start;
}

Result<void> unzip(const ZipEntry& entry, std::string& into) {
  into.resize(entry.size);
  if (!entry.deflated) {
    std::ranges::copy(entry.stored, into.begin());
  } else {
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
        libdeflate_alloc_decompressor());
    if (decompressor == nullptr) {
      return Error{Code::kExhausted, "no memory to inflate a zip archive"};
    }
    // Without a place for its size, libdeflate takes any other size for an error.
    if (libdeflate_deflate_decompress(decompressor.get(), entry.stored.data(), entry.stored.size(),
                                      into.data(), into.size(), nullptr) != LIBDEFLATE_SUCCESS) {
      return damaged();
    }
  }
  if (libdeflate_crc32(0, into.data(), into.size()) != entry.crc) {
    return wrong("holds a file with a wrong checksum");
  }
  return {};
}

}  // namespace braid
