#include "modality/audio/wav.h"

#include <cctype>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kChunkHeaderBytes = 8;
constexpr std::size_t kFormatBytesMin = 16;
constexpr std::size_t kFormatBytesMax = 256;  // MS ADPCM, the longest, brings a table: 50
/// What programs write that do not know the length beforehand: 2^32 - 1, or nearly 2^31.
constexpr std::uint32_t kUnknownLength = 0x7FFF'F000;

std::uint32_t number_at(Bytes bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = size; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(number >> shift & 0xFF);
  }
  return bytes;
}

/// A chunk's name, with what cannot be printed replaced: it is a stranger's.
std::string printable(Bytes name) {
  std::string text(name);
  for (char& byte : text) {
    byte = std::isprint(static_cast<unsigned char>(byte)) != 0 ? byte : '?';
  }
  return text;
}

enum Codec : std::uint32_t {
  kPcm = 1,
  kMsAdpcm = 2,
  kFloat = 3,
  kALaw = 6,
  kMuLaw = 7,
  kImaAdpcm = 0x11,
  kExtensible = 0xFFFE,
};

struct WavFormat {
  std::uint32_t codec;  // of an extensible format the one within
  std::uint32_t channels;
  std::uint32_t rate;
  std::uint32_t block_bytes;
  std::uint32_t bits;

  /// A block is one sample of every channel.
  bool is_plain() const { return codec != kMsAdpcm && codec != kImaAdpcm; }
  bool has_right_bits() const {
    switch (codec) {
      case kPcm:
        return bits == 8 || bits == 16 || bits == 24 || bits == 32;
      case kFloat:
        return bits == 32 || bits == 64;
      case kALaw:
      case kMuLaw:
        return bits == 8;
      default:
        return bits == 4;
    }
  }
};

Result<WavFormat> read_format(Bytes chunk) {
  WavFormat format = {number_at(chunk, 0, 2), number_at(chunk, 2, 2), number_at(chunk, 4, 4),
                      number_at(chunk, 12, 2), number_at(chunk, 14, 2)};
  if (format.codec == kExtensible) {
    if (chunk.size() < 40) {
      return Error{
          Code::kInvalidArgument,
          fmt::format("the WAV's extensible 'fmt ' chunk has {} bytes, not 40", chunk.size())};
    }
    format.codec = number_at(chunk, 24, 2);
  }
  switch (format.codec) {
    case kPcm:
    case kMsAdpcm:
    case kFloat:
    case kALaw:
    case kMuLaw:
    case kImaAdpcm:
      return format;
    default:
      return Error{Code::kUnsupported,
                   fmt::format("the WAV holds codec {:#06x}; PCM, float, A-law, µ-law and ADPCM "
                               "are read",
                               format.codec)};
  }
}

Result<void> check_format(const WavFormat& format, std::size_t data_bytes,
                          const SoundLimits& limits) {
  BRAID_TRY_DO(check_sound(format.channels, format.rate, 0, limits));
  if (!format.has_right_bits()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the WAV says that a sample has {} bits", format.bits)};
  }
  const bool is_right = format.is_plain() ? format.block_bytes == format.channels * format.bits / 8
                                          : format.block_bytes >= 8 * format.channels;
  if (!is_right) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the WAV says that a block of {} channels has {} bytes",
                             format.channels, format.block_bytes)};
  }
  if (data_bytes < format.block_bytes) {
    return Error{Code::kInvalidArgument, "the WAV holds no samples"};
  }
  const std::size_t blocks = data_bytes / format.block_bytes;
  const std::size_t frames =
      format.is_plain() ? blocks : blocks * (format.block_bytes * 2 / format.channels);
  return check_sound(format.channels, format.rate, static_cast<std::int64_t>(frames), limits);
}

/// A WAV of two chunks, up to where the samples begin.
std::string head_of(Bytes format_chunk, std::size_t data_bytes) {
  std::string padded(format_chunk);
  padded.resize(padded.size() + padded.size() % 2);
  const auto format_bytes = static_cast<std::uint32_t>(format_chunk.size());
  const auto samples_bytes = static_cast<std::uint32_t>(data_bytes);
  const auto all_bytes = static_cast<std::uint32_t>(4 + 2 * kChunkHeaderBytes + padded.size());
  return "RIFF" + four_bytes(all_bytes + samples_bytes) + "WAVEfmt " + four_bytes(format_bytes) +
         padded + "data" + four_bytes(samples_bytes);
}

}  // namespace

Result<SoundFile> open_wav(Bytes raw, const SoundLimits& limits) {
  std::optional<Bytes> format_chunk;
  std::size_t at = 12;
  while (raw.size() - at >= kChunkHeaderBytes) {
    const Bytes name = raw.substr(at, 4);
    const std::uint32_t size = number_at(raw, at + 4, 4);
    at += kChunkHeaderBytes;
    const std::size_t left = raw.size() - at;
    const bool is_streamed = name == "data" && size >= kUnknownLength;
    if (size > left && !is_streamed) {
      return Error{Code::kInvalidArgument,
                   fmt::format("the WAV's chunk '{}' says that it has {} bytes, but {} came: the "
                               "file is cut",
                               printable(name), size, left)};
    }
    const Bytes chunk = raw.substr(at, size);
    if (name == "data" && !format_chunk.has_value()) {
      return Error{Code::kInvalidArgument, "the WAV has no 'fmt ' chunk before its samples"};
    }
    if (name == "data") {
      BRAID_TRY(const WavFormat format, read_format(*format_chunk));
      BRAID_TRY_DO(check_format(format, chunk.size(), limits));
      return SoundFile{SoundFormat::kWav, head_of(*format_chunk, chunk.size()), chunk};
    }
    if (name == "fmt " && !format_chunk.has_value()) {
      if (size < kFormatBytesMin || size > kFormatBytesMax) {
        return Error{Code::kInvalidArgument,
                     fmt::format("the WAV's 'fmt ' chunk has {} bytes; {} … {} are possible", size,
                                 kFormatBytesMin, kFormatBytesMax)};
      }
      format_chunk = chunk;
    }
    at = std::min(at + size + size % 2, raw.size());  // the last chunk's padding is often left out
  }
  return Error{Code::kInvalidArgument, "the WAV holds no samples: it has no 'data' chunk"};
}

}  // namespace braid
