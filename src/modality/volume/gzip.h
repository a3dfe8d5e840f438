#pragma once
// gzip: volumes as they are mostly kept, inflated within bounds that are known beforehand.
// Threads: pure functions.

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

bool is_gzip(Bytes raw);

/// The first `size` bytes, or fewer when it holds fewer: enough for a header.
/// kInvalidArgument when it is damaged.
Result<std::string> gunzip_start(Bytes raw, std::size_t size);

/// The first `size` bytes, all of which must be there, with checksums. What is behind them may be
/// 64 KB at most. kInvalidArgument when it is damaged, cut short, or holds far more; at once when
/// so few bytes cannot hold so many (deflate gains at most 1032 to 1).
Result<std::unique_ptr<char[]>> gunzip(Bytes raw, std::size_t size);

/// Bytes behind the last voxel that are let pass.
inline constexpr std::size_t kTrailingMax = std::size_t{64} << 10;

}  // namespace braid
