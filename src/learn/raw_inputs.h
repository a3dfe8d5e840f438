#pragma once
// The raw bytes that a variant's inputs have in a row of a manifest.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/manifest.h"
#include "serve/pipeline.h"

namespace braid {

/// The manifest's columns that the variant reads, one an input.
std::vector<std::string> raw_names(const Variant& variant, const Pipeline& pipeline);

/// The bytes of those columns; nothing when one is absent. Errors name the input.
Result<std::optional<std::vector<std::string>>> load_raws(const ManifestRow& row,
                                                          const std::vector<std::string>& names);

}  // namespace braid
