#pragma once
// inflate: compressed request bodies, with a limit on what they may become: a megabyte of gzip can
// hold a gigabyte of blanks.

#include <cstddef>

#include "net/body.h"
#include "net/http_message.h"

namespace braid {

/// The body as its Content-Encoding says: gzip and deflate are inflated into `into`, identity and
/// none give the body itself. kUnsupported for other codings, kInvalidArgument for what is corrupt
/// or cut short, kExhausted above `size_max` bytes.
Result<const Body*> decoded_body(const HttpRequest& request, std::size_t size_max, Body& into);

}  // namespace braid
