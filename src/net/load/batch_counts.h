#pragma once
// BatchCounts: how many rows and runs a server counts on its metrics page: between two looks at it
// they tell the realised batch size. Braid's names and Triton's.

#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/load/server_address.h"

namespace braid {

struct BatchCounts {
  double rows = 0;
  double runs = 0;
};

/// From a page in Prometheus' text format: of `model` where it is named there, else of all models
/// (a pipeline runs several). kNotFound when the page counts neither.
Result<BatchCounts> parse_batch_counts(std::string_view page, std::string_view model);
/// Of the page at `address` ("/metrics" unless it has a path).
Result<BatchCounts> fetch_batch_counts(const ServerAddress& address, std::string_view model,
                                       Duration patience);

}  // namespace braid
