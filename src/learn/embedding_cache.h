#pragma once
// EmbeddingCache: what an encoder said of each raw input, kept on disk by content, so that a second
// fit, or one that was interrupted, does not run it again. One file an encoder, records appended as
// they are made; a tail that a crash cut off is found by its checksum and dropped.
//
// File: "BRAIDEM1", width (u32), then records of key (32 bytes), milliseconds (f32), width × f32,
// the first 8 bytes of the SHA-256 of all that. Little-endian, as every machine that Braid runs on.
// Threads: every function from any.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace braid {

struct CachedEmbedding {
  std::vector<float> values;
  float milliseconds = 0;  // that making it took
};

class EmbeddingCache {
 public:
  /// The file of the encoder that `encoder_digest` names, under `folder`, which is made. Waits for
  /// no other process: kUnavailable when one holds the file. kExhausted when the disk is full.
  static Result<std::unique_ptr<EmbeddingCache>> open(const std::filesystem::path& folder,
                                                      const std::string& encoder_digest,
                                                      std::size_t width);
  ~EmbeddingCache();
  EmbeddingCache(const EmbeddingCache&) = delete;
  EmbeddingCache& operator=(const EmbeddingCache&) = delete;

  /// `key` is a SHA-256 in hexadecimal.
  std::optional<CachedEmbedding> find(const std::string& key) const;
  Result<void> add(const std::string& key, const CachedEmbedding& embedding);
  /// Forgets everything, on disk too.
  Result<void> clear();

  std::size_t size() const;
  const std::filesystem::path& file() const { return file_; }

  struct Closer {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  using Stream = std::unique_ptr<std::FILE, Closer>;

  /// Only open() makes one.
  struct Private {};
  EmbeddingCache(Private, std::filesystem::path file, Stream stream, std::size_t width);

 private:
  Result<void> read_all();
  Result<void> write(const std::string& bytes) REQUIRES(mutex_);

  const std::filesystem::path file_;
  const std::size_t width_;
  mutable Mutex mutex_;
  Stream stream_ GUARDED_BY(mutex_);  // holds the lock of the file as long as it is open
  std::map<std::string, CachedEmbedding> known_ GUARDED_BY(mutex_);
};

}  // namespace braid
