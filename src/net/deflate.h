#pragma once
// deflate: replies in the coding that the client accepts.

#include <string_view>

#include "net/http_message.h"

namespace braid {

enum class Coding { kNone, kGzip, kDeflate };

/// The coding that an Accept-Encoding asks for, gzip before deflate where both weigh the same; q=0
/// forbids one. What cannot be read counts as nothing accepted. RFC 9110, section 12.5.3.
Coding accepted_coding(std::string_view accept_encoding);

/// Compresses the body and says so in Content-Encoding; a small one is left as it is.
void encode_body(Coding coding, HttpResponse& response);

}  // namespace braid
