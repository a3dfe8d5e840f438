#pragma once
// Hostile clips: MP4, Matroska, Ogg and AVI.

#include "modality/hostile/bits.h"
#include "modality/hostile/files.h"

namespace braid::hostile {

inline std::string box(const std::string& name, const std::string& content) {
  return big(content.size() + 8, 4) + name + content;
}

inline std::string crowded_mp4() {
  return box("ftyp", std::string("isom\0\0\2\0isomiso2", 16)) +
         box("moov", repeated(box("trak", ""), 1'000'000));
}

/// An element of EBML (RFC 8794) with a size of eight bytes.
inline std::string element(const std::string& id, const std::string& content) {
  return id + '\1' + big(content.size(), 7) + content;
}

inline std::string crowded_mkv() {
  const std::string tracks = repeated(std::string("\xAE\x83\xD7\x81\x01", 5), 1'000'000);
  return element("\x1A\x45\xDF\xA3", element("\x42\x82", "matroska")) +
         element("\x18\x53\x80\x67", element("\x16\x54\xAE\x6B", tracks));
}

/// Each page of 35 bytes begins a stream of its own.
inline std::string crowded_ogg() {
  std::string file;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    std::string page = std::string("OggS\0\2", 6) + little(0, 8) + little(i, 4) + little(0, 8) +
                       std::string("\1\7\x80theora", 9);
    file += page.replace(22, 4, little(ogg_crc(page), 4));
  }
  return file;
}

inline std::string crowded_avi(std::size_t count) {
  const std::string header = "strh" + little(56, 4) + "vids" + "MJPG" + std::string(48, '\1');
  const std::string streams =
      repeated("LIST" + little(header.size() + 4, 4) + "strl" + header, count);
  const std::string main = "avih" + little(56, 4) + std::string(56, '\1');
  const std::string head =
      "LIST" + little(main.size() + streams.size() + 4, 4) + "hdrl" + main + streams;
  return "RIFF" + little(head.size() + 4, 4) + "AVI " + head;
}

inline std::string endless_riff() {
  return "RIFF" + little(0xFFFFFFFF, 4) + "AVI " + "LIST" + little(0xFFFFFFFF, 4) + "hdrl" +
         repeated("JUNK" + little(0, 4), 2'000'000);
}

/// Says a table of 2^28 sizes of frames, which is not there.
inline std::string lying_mp4() {
  std::string file = shipped("video/bframes.mp4");
  const std::size_t table = file.find("stsz");
  BRAID_CHECK(table != std::string::npos);
  return file.replace(table + 12, 4, std::string("\x10\0\0\0", 4));
}

inline HostileFiles clips() {
  constexpr const char* kSettings = "{frames: 2, size: 8}";
  return {
      {"mp4_streams", "MP4 of a million streams", "video", kSettings, [] { return crowded_mp4(); },
       Code::kExhausted, "streams"},
      {"mkv_streams", "Matroska of a million streams", "video", kSettings,
       [] { return crowded_mkv(); }, Code::kExhausted, "head is longer than"},
      {"ogg_streams", "Ogg of a million streams", "video", kSettings, [] { return crowded_ogg(); },
       Code::kInvalidArgument, "the video is damaged"},
      {"avi_streams", "AVI of 600,000 streams (50 MB)", "video", kSettings,
       [] { return crowded_avi(600'000); }, Code::kExhausted, "streams"},
      {"riff_endless", "AVI of two million empty chunks in an endless list", "video", kSettings,
       [] { return endless_riff(); }, Code::kExhausted, "head is longer than"},
      {"mp4_lies", "MP4 that says a table of 2^28 frames", "video", kSettings,
       [] { return lying_mp4(); }, Code::kInvalidArgument, "video"},
  };
}

}  // namespace braid::hostile
