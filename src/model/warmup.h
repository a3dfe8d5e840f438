#pragma once
// warm_up: runs a model with the made-up input of its config, before it is published.

#include <filesystem>

#include "base/result.h"
#include "model/model.h"

namespace braid {

/// Files of samples lie in `folder`/warmup. A run that fails is an error: the first request would
/// have met it.
Result<void> warm_up(const Model& model, const std::vector<Warmup>& warmups,
                     const std::filesystem::path& folder);

}  // namespace braid
