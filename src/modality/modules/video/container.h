#pragma once
// Container: a file opened by one of the demuxers that we read, with the streams that are wanted.
// Threads: one at a time.

#include "modality/modules/video/clip.h"
#include "modality/modules/video/handles.h"
#include "modality/modules/video/memory_file.h"

struct AVStream;

namespace braid {

class Container {
 public:
  /// The request's bytes outlive it.
  explicit Container(const VideoRequest& request);

  /// Chooses the first video stream that is no cover picture and the first sound; packets of others
  /// are not read. Fills what `facts` says of file and streams.
  VideoStatus open(VideoFacts& facts);

  /// The next packet of a chosen stream into `packet`. False at the end; `reason` is 0 there, else
  /// FFmpeg's number for what broke.
  bool read(AVPacket& packet, int& reason);

  VideoStatus budget() const {
    return file_.is_exhausted() ? VideoStatus::kWork : VideoStatus::kDone;
  }
  AVStream& video() const { return *video_; }
  AVStream* sound() const { return sound_; }  // null without, or when it is not wanted
  /// Of the video, as the file's index says; 0 where it has none that is complete.
  std::int64_t indexed_count() const;

 private:
  VideoStatus probe(VideoFacts& facts);
  VideoStatus failed(int error, VideoFacts& facts) const;
  VideoStatus choose(VideoFacts& facts);

  const VideoRequest& request_;
  MemoryFile file_;  // longer than the demuxer, which reads it
  FormatHandle demuxer_;
  AVStream* video_ = nullptr;
  AVStream* sound_ = nullptr;
};

/// FFmpeg's words for one of its errors.
void explain(int error, VideoFacts& facts);

}  // namespace braid
