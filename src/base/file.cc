#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace braid {
namespace {

/// Closes what it holds.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
};

Error failure(const char* what, const std::filesystem::path& path, int reason) {
  const bool full = reason == ENOSPC || reason == EDQUOT;
  const Code code = reason == ENOENT || reason == ENOTDIR ? Code::kNotFound
                    : full                                ? Code::kExhausted
                                                          : Code::kUnavailable;
  return Error{code, fmt::format("cannot {} {}: {}{}", what, path.string(), std::strerror(reason),
                                 full ? "; free some space and try again" : "")};
}

Result<void> write_all(int number, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return failure("write", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(number) == 0 ? Result<void>() : failure("write", path, errno);
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t size_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) {
    return failure("read", path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return failure("read", path, EISDIR);
  }
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(status.st_size));
  char block[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.number, block, sizeof block);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return failure("read", path, errno);
    }
    if (count == 0) {
      return bytes;
    }
    if (bytes.size() + static_cast<std::size_t>(count) > size_max) {
      return Error{Code::kExhausted,
                   fmt::format("{} is larger than {} bytes", path.string(), size_max)};
    }
    bytes.append(block, static_cast<std::size_t>(count));
  }
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code failed;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed) {
      return failure("make the folder", path.parent_path(), failed.value());
    }
  }
  const std::filesystem::path beside = path.string() + fmt::format(".{}.part", ::getpid());
  Result<void> result;
  {
    const Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    result =
        file.number < 0 ? failure("write", beside, errno) : write_all(file.number, bytes, beside);
  }
  if (result.has_value() && std::rename(beside.c_str(), path.c_str()) != 0) {
    result = failure("write", path, errno);
  }
  if (!result.has_value()) {
    ::unlink(beside.c_str());
  }
  return result;
}

}  // namespace braid
