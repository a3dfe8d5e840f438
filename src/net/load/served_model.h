#pragma once
// ServedModel: what a server says of a model or pipeline, so that a load can make its requests.

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "net/load/server_address.h"
#include "tensor/spec.h"

namespace braid {

struct ServedModel {
  std::string name;
  std::string platform;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;

  /// Its inputs are raw (pictures, texts …), as BYTES.
  bool is_pipeline() const { return platform == "braid_pipeline"; }
};

/// The protocol's metadata document. kInvalidArgument names what is missing.
Result<ServedModel> parse_served_model(std::string_view json);

/// GET /v2/models/NAME. kNotFound for a model that the server does not have, with the nearest name
/// where it lists its models; other refusals with the server's text.
Result<ServedModel> fetch_served_model(const ServerAddress& address, const std::string& name,
                                       Duration patience);

/// Every byte that a path may not hold as %XX.
std::string percent_encoded(std::string_view name);

}  // namespace braid
