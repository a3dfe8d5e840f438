#pragma once
// The bytes of a load's HTTP requests, made once and sent again and again. Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "net/load/server_address.h"
#include "tensor/tensor.h"

namespace braid {

enum class LoadEncoding {
  kBinary,  // the binary tensor extension, both ways
  kJson,    // both ways
};

struct InferOptions {
  LoadEncoding encoding = LoadEncoding::kBinary;
  std::vector<std::string> outputs = {};  // that are asked for; empty: all
  Json parameters = {};                   // of the request, a map: {"timeout": 5000}; null: none
};

/// One inference. `path` is "/v2/models/NAME/infer". kInvalidArgument where JSON has no words for a
/// type (FP16, BF16), with the cure.
Result<std::string> infer_bytes(const ServerAddress& address, std::string_view path,
                                const NamedTensors& inputs, const InferOptions& options);

/// Any other: GET where there is no body, else POST of JSON, or of a form where the body begins
/// with the boundary of one.
std::string plain_bytes(const ServerAddress& address, std::string_view path, std::string_view body);

/// "timeout=5000", "explain=false" or "tag=text" as name and JSON value.
Result<std::pair<std::string, Json>> parse_parameter_option(std::string_view text);

}  // namespace braid
