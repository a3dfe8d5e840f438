#include "learn/embedding_cache.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/digest.h"

namespace braid {
namespace {

constexpr std::string_view kMagic = "BRAIDEM1";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSumBytes = 8;

/// Hexadecimal digits to the bytes that they say.
std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

template <typename T>
void append(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string sum_of(std::string_view bytes) {
  return bytes_of_hex(sha256(bytes)).substr(0, kSumBytes);
}

std::string header_of(std::size_t width) {
  std::string header(kMagic);
  const auto columns = static_cast<std::uint32_t>(width);
  append(header, &columns, 1);
  return header;
}

std::string record_of(const std::string& key, const CachedEmbedding& embedding) {
  std::string record = bytes_of_hex(key);
  append(record, &embedding.milliseconds, 1);
  append(record, embedding.values.data(), embedding.values.size());
  return record + sum_of(record);
}

Error failed(const std::filesystem::path& file, const char* what) {
  const int reason = errno;
  return Error{reason == ENOSPC || reason == EDQUOT ? Code::kExhausted : Code::kUnavailable,
               fmt::format("cannot {} {}: {}; free some space or name another folder with --cache",
                           what, file.string(), std::strerror(reason))};
}

}  // namespace

EmbeddingCache::EmbeddingCache(Private, std::filesystem::path file, Stream stream,
                               std::size_t width)
    : file_(std::move(file)), width_(width), stream_(std::move(stream)) {}

EmbeddingCache::~EmbeddingCache() = default;

Result<std::unique_ptr<EmbeddingCache>> EmbeddingCache::open(const std::filesystem::path& folder,
                                                             const std::string& encoder_digest,
                                                             std::size_t width) {
  std::error_code ignored;  // what went wrong shows when the file is opened
  std::filesystem::create_directories(folder, ignored);
  const std::filesystem::path file = folder / (encoder_digest.substr(0, 32) + ".embeddings");
  Stream stream(std::fopen(file.c_str(), "a+b"));
  if (stream == nullptr) {
    return failed(file, "open");
  }
  if (::flock(::fileno(stream.get()), LOCK_EX | LOCK_NB) != 0) {
    return Error{Code::kUnavailable,
                 fmt::format("another fit is filling {}; wait for it, or name another folder with "
                             "--cache",
                             file.string())};
  }
  auto cache = std::make_unique<EmbeddingCache>(Private{}, file, std::move(stream), width);
  BRAID_TRY_DO(cache->read_all());
  return cache;
}

Result<void> EmbeddingCache::read_all() {
  const Lock lock(mutex_);
  std::rewind(stream_.get());
  const std::string wanted = header_of(width_);
  std::string bytes(wanted.size(), '\0');
  if (std::fread(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size() || bytes != wanted) {
    if (::ftruncate(::fileno(stream_.get()), 0) != 0) {
      return failed(file_, "empty");
    }
    return write(wanted);
  }
  std::size_t good_bytes = bytes.size();
  const std::size_t body_bytes = kKeyBytes + sizeof(float) * (1 + width_);
  bytes.resize(body_bytes + kSumBytes);
  while (std::fread(bytes.data(), 1, bytes.size(), stream_.get()) == bytes.size()) {
    const std::string_view body = std::string_view(bytes).substr(0, body_bytes);
    if (sum_of(body) != bytes.substr(body_bytes)) {
      break;
    }
    CachedEmbedding embedding{std::vector<float>(width_), 0};
    std::memcpy(&embedding.milliseconds, bytes.data() + kKeyBytes, sizeof(float));
    std::memcpy(embedding.values.data(), bytes.data() + kKeyBytes + sizeof(float),
                sizeof(float) * width_);
    known_[std::string(body.substr(0, kKeyBytes))] = std::move(embedding);
    good_bytes += bytes.size();
  }
  if (::ftruncate(::fileno(stream_.get()), static_cast<off_t>(good_bytes)) != 0) {
    return failed(file_, "shorten");
  }
  std::fseek(stream_.get(), 0, SEEK_END);  // C wants a seek between reading and writing
  return {};
}

Result<void> EmbeddingCache::write(const std::string& bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) == bytes.size() &&
                       std::fflush(stream_.get()) == 0;
  if (!written) {
    return failed(file_, "write");
  }
  return {};
}

std::optional<CachedEmbedding> EmbeddingCache::find(const std::string& key) const {
  const Lock lock(mutex_);
  const auto found = known_.find(bytes_of_hex(key));
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> EmbeddingCache::add(const std::string& key, const CachedEmbedding& embedding) {
  BRAID_CHECK(embedding.values.size() == width_);
  const std::string record = record_of(key, embedding);
  const Lock lock(mutex_);
  BRAID_TRY_DO(write(record));
  known_[record.substr(0, kKeyBytes)] = embedding;
  return {};
}

Result<void> EmbeddingCache::clear() {
  const Lock lock(mutex_);
  known_.clear();
  if (::ftruncate(::fileno(stream_.get()), 0) != 0) {
    return failed(file_, "empty");
  }
  return write(header_of(width_));
}

std::size_t EmbeddingCache::size() const {
  const Lock lock(mutex_);
  return known_.size();
}

}  // namespace braid
