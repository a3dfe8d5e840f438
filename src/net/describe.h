#pragma once
// describe: what the server, a model, a pipeline say of themselves in the protocol's metadata.

#include <string>
#include <vector>

#include "base/json.h"
#include "model/model.h"

namespace braid {

Json server_metadata(const std::string& version);
Json model_metadata(const std::string& name, const std::vector<std::string>& versions,
                    const std::string& platform, const std::vector<TensorSpec>& inputs,
                    const std::vector<TensorSpec>& outputs);

}  // namespace braid
