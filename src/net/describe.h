#pragma once
// describe: what the server, a model, a pipeline say of themselves in the protocol's metadata,
// configuration and statistics.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/store.h"
#include "serve/model_statistics.h"

namespace braid {

Json server_metadata(const std::string& version);
Json model_metadata(const std::string& name, const std::vector<std::string>& versions,
                    const std::string& platform, const std::vector<TensorSpec>& inputs,
                    const std::vector<TensorSpec>& outputs);

/// The fields of Triton's model configuration that have a value here, completed from the model.
Json model_config_json(const LoadedModel& model);
Json pipeline_config_json(const std::string& name, const std::string& platform,
                          const std::vector<TensorSpec>& inputs,
                          const std::vector<TensorSpec>& outputs);

/// One element of `model_stats`; times in nanoseconds. `last_ms`: since 1970.
Json statistics_json(const std::string& name, const std::string& version,
                     const ModelStatistics& seen, std::uint64_t last_ms);

}  // namespace braid
