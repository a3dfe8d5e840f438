// The start by zlib, which can stop anywhere; the whole by libdeflate, which is two to three times
// as fast. docs/decisions/0022-volumes.md has the figures.
#include "modality/volume/gzip.h"

#include <string>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

namespace braid {
namespace {

constexpr std::size_t kGainMax = 1032;
constexpr int kMembersMax = 65536;  // bgzip makes one for every 64 KB; empty ones only cost time
constexpr int kGzipWindow = 16 + MAX_WBITS;

Error wrong(const std::string& why) {
  return Error{Code::kInvalidArgument, "the gzip file " + why};
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};

}  // namespace

bool is_gzip(Bytes raw) { return raw.starts_with("\x1f\x8b"); }

Result<std::string> gunzip_start(Bytes raw, std::size_t size) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return Error{Code::kExhausted, "no memory to inflate a volume"};
  }
  const std::unique_ptr<z_stream, EndInflate> ends(&stream);
  std::string start(size, '\0');
  // zlib only reads; a header's worth of input is never near 4 GB.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(std::min(raw.size(), std::size_t{1} << 30));
  stream.next_out = reinterpret_cast<Bytef*>(start.data());
  stream.avail_out = static_cast<uInt>(size);
  const int state = ::inflate(&stream, Z_SYNC_FLUSH);
  if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
    return wrong("is damaged");
  }
  start.resize(size - stream.avail_out);
  return start;
}

Result<std::unique_ptr<char[]>> gunzip(Bytes raw, std::size_t size) {
  if (size / kGainMax > raw.size()) {
    return wrong(
        fmt::format("of {} bytes cannot hold the {} that its header promises", raw.size(), size));
  }
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (decompressor == nullptr) {
    return Error{Code::kExhausted, "no memory to inflate a volume"};
  }
  // Not zeroed: pages that nothing is written to cost nothing.
  const std::size_t room = size + kTrailingMax;
  auto bytes = std::make_unique_for_overwrite<char[]>(room);
  std::size_t filled = 0;
  // Usually one member; files that were joined have several.
  for (int members = 0; filled < size && !raw.empty(); ++members) {
    if (members == kMembersMax) {
      return wrong(fmt::format("consists of more than {} members", kMembersMax));
    }
    std::size_t taken = 0;
    std::size_t given = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor.get(), raw.data(), raw.size(),
                                      bytes.get() + filled, room - filled, &taken, &given);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      return wrong(fmt::format("holds more than the {} bytes of its header and voxels", size));
    }
    if (result != LIBDEFLATE_SUCCESS) {
      return wrong("is damaged or cut short");
    }
    filled += given;
    raw.remove_prefix(taken);
  }
  if (filled < size) {
    return wrong(fmt::format("holds {} bytes; its header promises {}", filled, size));
  }
  return bytes;
}

}  // namespace braid
