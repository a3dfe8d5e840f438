#include "net/status.h"

namespace braid {

int http_status(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return 400;
    case Code::kNotFound:
      return 404;
    case Code::kUnsupported:
      return 501;
    case Code::kExhausted:  // a full queue: another replica may have room
      return 503;
    case Code::kDeadlineExceeded:
      return 504;
    case Code::kCancelled:  // nobody reads it: the client hung up
      return 400;
    case Code::kUnavailable:
      return 503;
    case Code::kInternal:
      break;
  }
  return 500;
}

HttpResponse to_response(const Error& error) {
  return http_error(http_status(error.code), error.describe());
}

}  // namespace braid
