#include "net/byte_credits.h"

#include <fmt/format.h>

namespace braid {

Error ByteClaim::refusal() const {
  return Error{Code::kExhausted,
               fmt::format("the server holds {} bytes of requests and takes {} at most "
                           "(--max-in-flight-bytes); come again later",
                           credits_ == nullptr ? 0 : credits_->bytes_held(),
                           credits_ == nullptr ? 0 : credits_->bytes_max())};
}

}  // namespace braid
