#pragma once
// Status: the eight error codes as statuses of the protocols. gRPC's column joins this table.

#include "base/result.h"
#include "net/http_message.h"

namespace braid {

int http_status(Code code);

/// `{"error": …}` with the error's status, its text widest place first.
HttpResponse to_response(const Error& error);

}  // namespace braid
