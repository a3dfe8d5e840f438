#pragma once
// Zip: the files of an archive, inflated one by one within bounds that are known beforehand. Names
// are never used: nothing is written anywhere, and they often hold a patient's name.
// Threads: pure functions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

bool is_zip(Bytes raw);

struct ZipEntry {
  Bytes stored;           // as they lie in the archive
  bool deflated = false;  // else stored as they are
  std::size_t size = 0;   // inflated, as the archive promises; deflate could hold it
  std::uint32_t crc = 0;
};

/// The files of the archive in its order; empty ones and folders are left out. kExhausted above
/// `files_max`; kUnsupported by name for encryption, other methods than deflate, zip64 and archives
/// in several parts; else kInvalidArgument.
Result<std::vector<ZipEntry>> zip_entries(Bytes raw, std::size_t files_max);

/// The first `size` bytes, or fewer when it holds fewer. kInvalidArgument when it is damaged.
Result<std::string> unzip_start(const ZipEntry& entry, std::size_t size);

/// All entry.size bytes into `into`, which is resized; its memory is used again. kInvalidArgument
/// when it is damaged, or has another size or checksum than it says.
Result<void> unzip(const ZipEntry& entry, std::string& into);

}  // namespace braid
