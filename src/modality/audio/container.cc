#include "modality/audio/container.h"

#include <utility>

#include <fmt/format.h>

#include "modality/audio/ogg_pages.h"
#include "modality/audio/wav.h"

namespace braid {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t kRateMin = 1000;
constexpr std::int64_t kRateMax = 384'000;

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* name;
};

/// Formats that people send and that this build does not read.
constexpr Signature kOthers[] = {
    {0, "RIFX"sv, "big-endian WAV"},
    {0, "RF64"sv, "RF64"},
    {0, "BW64"sv, "BW64"},
    {0, "riff\x2E\x91\xCF\x11"sv, "Wave64"},
    {8, "AVI "sv, "AVI"},
    {0, "FORM"sv, "AIFF"},
    {0, ".snd"sv, "AU"},
    {0, "caff"sv, "CAF"},
    {0, "MThd"sv, "MIDI"},
    {0, "#!AMR"sv, "AMR"},
    {4, "ftyp"sv, "MP4 or M4A"},
    {0, "\x1A\x45\xDF\xA3"sv, "WebM or Matroska"},
    {0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv, "WMA"},
    {0, "ADIF"sv, "AAC"},
    {0, "\xFF\xF1"sv, "AAC"},
    {0, "\xFF\xF9"sv, "AAC"},
    {0, "wvpk"sv, "WavPack"},
    {0, "MAC "sv, "Monkey's Audio"},
    {0, "NIST_1A"sv, "NIST SPHERE"},
    {0, "\0\0\1\xBA"sv, "MPEG video"},
    {0, "\0\0\1\xB3"sv, "MPEG video"},
};

/// ID3v2 tags stand before MP3s and some FLACs: pictures of covers and long texts, which nobody
/// needs here. Their length is 4 bytes of 7 bits; a flag announces ten bytes more at the end.
Result<Bytes> without_tags(Bytes raw) {
  constexpr std::size_t kHeaderBytes = 10;
  while (raw.starts_with("ID3") && raw.size() >= kHeaderBytes) {
    std::size_t size = 0;
    for (std::size_t i = 6; i < kHeaderBytes; ++i) {
      size = size << 7 | (static_cast<unsigned char>(raw[i]) & 0x7F);
    }
    const bool has_footer = (static_cast<unsigned char>(raw[5]) & 0x10) != 0;
    size += kHeaderBytes + (has_footer ? kHeaderBytes : 0);
    if (size >= raw.size()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("an ID3 tag of {} bytes leaves no sound in the {} that came", size,
                               raw.size())};
    }
    raw.remove_prefix(size);
  }
  return raw;
}

/// Eleven set bits, then a version, a layer, a bit rate and a sample rate that are not reserved.
bool begins_mp3_frame(Bytes raw) {
  if (raw.size() < 4) {
    return false;
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(raw[i]); };
  const bool is_sync = byte(0) == 0xFF && (byte(1) & 0xE0) == 0xE0;
  const bool is_version = (byte(1) >> 3 & 3) != 1;
  const bool is_layer = (byte(1) >> 1 & 3) != 0;
  return is_sync && is_version && is_layer && byte(2) >> 4 != 15 && (byte(2) >> 2 & 3) != 3;
}

}  // namespace

Result<void> check_sound(std::int64_t channels, std::int64_t rate, std::int64_t frame_count,
                         const SoundLimits& limits) {
  if (channels < 1) {
    return Error{Code::kInvalidArgument, "the sound has 0 channels"};
  }
  if (channels > limits.channels_max) {
    return Error{Code::kExhausted, fmt::format("the sound has {} channels; channels_max is {}",
                                               channels, limits.channels_max)};
  }
  if (rate < kRateMin || rate > kRateMax) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the sound says that it has {} samples a second; {} … {} are read",
                             rate, kRateMin, kRateMax)};
  }
  const double seconds = static_cast<double>(frame_count) / static_cast<double>(rate);
  if (seconds > limits.seconds_max) {
    return Error{Code::kExhausted, fmt::format("the sound lasts {:.0f} s; seconds_max is {}",
                                               seconds, limits.seconds_max)};
  }
  return {};
}

Result<SoundFile> open_container(Bytes raw, const SoundLimits& limits) {
  if (raw.empty()) {
    return Error{Code::kInvalidArgument, "the sound is empty: 0 bytes came"};
  }
  if (std::cmp_greater(raw.size(), limits.bytes_max)) {
    return Error{Code::kExhausted, fmt::format("the sound has {} bytes; bytes_max is {}",
                                               raw.size(), limits.bytes_max)};
  }
  if (raw.starts_with("RIFF") && raw.size() >= 12 && raw.substr(8, 4) == "WAVE") {
    return open_wav(raw, limits);
  }
  for (const Signature& other : kOthers) {
    if (raw.size() >= other.at && raw.substr(other.at).starts_with(other.bytes)) {
      return Error{
          Code::kUnsupported,
          fmt::format("a sound in {} came; convert it to WAV, FLAC, OGG or MP3", other.name)};
    }
  }
  BRAID_TRY(const Bytes body, without_tags(raw));
  if (body.starts_with("fLaC")) {
    return SoundFile{SoundFormat::kFlac, "", body};
  }
  if (body.starts_with("OggS")) {
    BRAID_TRY_DO(check_ogg_pages(body));
    return SoundFile{SoundFormat::kOgg, "", body};
  }
  if (begins_mp3_frame(body)) {
    return SoundFile{SoundFormat::kMp3, "", body};
  }
  return Error{Code::kInvalidArgument,
               fmt::format("the {} bytes that came are no WAV, FLAC, OGG or MP3", raw.size())};
}

}  // namespace braid
