#include "modality/modules/video/memory_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

extern "C" {
#include <libavformat/avio.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>
}

namespace braid {
namespace {

constexpr int kBufferBytes = 1 << 15;
/// Demuxers look for tables at a file's end and go back, so a file is read about twice.
constexpr std::int64_t kReadsOfAll = 8;
/// What tells the streams: the tables of an hour of video and its sound take two megabytes. A
/// demuxer walks three megabytes of empty chunks in less than a tenth of a second.
constexpr std::int64_t kHeadBytes = std::int64_t{3} << 20;

}  // namespace

MemoryFile::MemoryFile(const char* bytes, std::size_t size)
    : bytes_(bytes), size_(static_cast<std::int64_t>(size)), budget_(kHeadBytes) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  context_ = buffer == nullptr
                 ? nullptr
                 : avio_alloc_context(buffer, kBufferBytes, 0, this, read, nullptr, seek);
  if (context_ == nullptr) {
    av_free(buffer);
  }
}

MemoryFile::~MemoryFile() {
  if (context_ != nullptr) {
    av_freep(&context_->buffer);  // not always the one that it began with
    avio_context_free(&context_);
  }
}

void MemoryFile::grant_all() { budget_ = kReadsOfAll * size_ + kHeadBytes; }

int MemoryFile::read(void* self, std::uint8_t* to, int wanted) {
  auto& file = *static_cast<MemoryFile*>(self);
  if (file.budget_ < 0) {
    return AVERROR_EXIT;
  }
  const auto count = static_cast<int>(
      std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(file.size_ - file.at_, 0)));
  file.budget_ -= std::max(count, 64);  // asking beyond the end again and again is work, too
  if (count == 0) {
    return AVERROR_EOF;
  }
  std::memcpy(to, file.bytes_ + file.at_, static_cast<std::size_t>(count));
  file.at_ += count;
  return count;
}

std::int64_t MemoryFile::seek(void* self, std::int64_t offset, int whence) {
  auto& file = *static_cast<MemoryFile*>(self);
  if ((whence & AVSEEK_SIZE) != 0) {
    return file.size_;
  }
  file.budget_ -= 64;
  whence &= ~AVSEEK_FORCE;
  const std::int64_t from = whence == SEEK_CUR ? file.at_ : whence == SEEK_END ? file.size_ : 0;
  // Beyond the end is allowed, as in a file: there is nothing to read there.
  if (offset < -from || offset > std::numeric_limits<std::int64_t>::max() - from) {
    return AVERROR(EINVAL);
  }
  file.at_ = from + offset;
  return file.at_;
}

}  // namespace braid
