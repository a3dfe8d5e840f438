#pragma once
// MemoryFile: bytes in memory as the only thing that FFmpeg can read. How much it may read is
// bounded, so that a file which sends a demuxer in circles ends. Threads: one at a time.

#include <cstddef>
#include <cstdint>

struct AVIOContext;

namespace braid {

class MemoryFile {
 public:
  /// `bytes` outlive it.
  MemoryFile(const char* bytes, std::size_t size);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Null without memory.
  AVIOContext* context() { return context_; }
  /// More was read than the file's head may be long, or, after the grant, than eight times the
  /// file.
  bool is_exhausted() const { return budget_ < 0; }
  /// The head is read, the rest may follow.
  void grant_all();

 private:
  static int read(void* self, std::uint8_t* to, int wanted);
  static std::int64_t seek(void* self, std::int64_t offset, int whence);

  const char* bytes_;
  std::int64_t size_;
  std::int64_t at_ = 0;
  std::int64_t budget_;  // bytes that may still be read
  AVIOContext* context_;
};

}  // namespace braid
