#pragma once
// Hostile sounds: WAV, FLAC and Ogg.

#include "modality/hostile/bits.h"
#include "modality/hostile/files.h"

namespace braid::hostile {

/// A WAV of 800 samples with `before` ahead of its format, which says that it has `data_bytes`.
inline std::string wav(const std::string& before, std::uint64_t data_bytes) {
  const std::string body = "WAVE" + before + "fmt " + little(16, 4) + little(1, 2) + little(1, 2) +
                           little(8000, 4) + little(16000, 4) + little(2, 2) + little(16, 2) +
                           "data" + little(data_bytes, 4) + std::string(1600, '\x10');
  return "RIFF" + little(body.size(), 4) + body;
}

/// A page of one stream, 255 segments of 255 bytes: its packet goes on with the next page.
inline std::string ogg_page(std::uint64_t number, bool is_first, const std::string& start) {
  std::string content = start;
  content.resize(255UL * 255, '\0');
  std::string page = std::string("OggS\0", 5) + (is_first ? '\2' : '\1') + little(0, 8) +
                     little(7, 4) + little(number, 4) + little(0, 4) + std::string(256, '\xff') +
                     content;
  return page.replace(22, 4, little(ogg_crc(page), 4));
}

/// 19 MB of a first packet that never ends.
inline std::string endless_ogg() {
  std::string file;
  for (std::uint64_t i = 0; i < 300; ++i) {
    file += ogg_page(i, i == 0, i == 0 ? "\1vorbis" : "");
  }
  return file;
}

/// A FLAC that says 2^36 − 1 samples.
inline std::string lying_flac() {
  std::string file = shipped("audio/stereo.flac");
  file[21] = static_cast<char>(file[21] | '\x0F');
  return file.replace(22, 4, "\xff\xff\xff\xff");
}

inline HostileFiles sounds() {
  return {
      {"wav_lies", "WAV of 2 KB that says 2^30 bytes of samples", "audio", "rate: 8000",
       [] { return wav("", 1U << 30); }, Code::kInvalidArgument, "'data' says"},
      {"wav_endless", "WAV with a chunk of 2^32 − 1 bytes", "audio", "rate: 8000",
       [] { return wav("LIST" + little(0xFFFFFFFF, 4) + "INFO", 1600); }, Code::kInvalidArgument,
       "chunk 'LIST' says"},
      {"wav_chunks", "WAV of three million empty chunks", "audio", "rate: 8000",
       [] { return wav(repeated("junk" + little(0, 4), 3'000'000), 1U << 30); },
       Code::kInvalidArgument, "'data' says"},
      {"ogg_endless", "Ogg whose first packet goes on for 19 MB", "audio", "rate: 8000",
       [] { return endless_ogg(); }, Code::kInvalidArgument, "OGG"},
      {"flac_lies", "FLAC that says 2^36 − 1 samples", "audio", "rate: 8000",
       [] { return lying_flac(); }, Code::kExhausted, "seconds_max"},
  };
}

}  // namespace braid::hostile
