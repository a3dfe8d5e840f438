#pragma once
// Files, read and written whole. A file that is written appears whole or not at all.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// kNotFound when there is none, kExhausted above `size_max` bytes, else kUnavailable with errno.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t size_max = std::size_t{4} << 30);

/// Writes beside `path`, syncs, renames; makes the folder. kExhausted when the disk is full.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace braid
