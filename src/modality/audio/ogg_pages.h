#pragma once
// Ogg pages: looked over before a library reads them.

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

/// kInvalidArgument when a page is cut short or its checksum is wrong, or other bytes follow: on
/// damaged headers libsndfile 1.2 forgets memory, some 6 KB a file. RFC 3533, section 6.
Result<void> check_ogg_pages(Bytes bytes);

}  // namespace braid
