#pragma once
// Yaml back to text, in flow style: what FIT.yaml says of an input is copied into pipeline.yaml,
// and names an encoder's cache.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"

namespace braid {

/// A scalar as YAML reads it back: quoted where it must be.
std::string yaml_scalar(std::string_view text);

/// "{size: [224, 224], background: white}" on one line. `rename` is asked for each scalar.
std::string yaml_flow(const Yaml& yaml,
                      const std::function<std::string(const std::string&)>& rename = {});

/// Scalars below `yaml` that name a file in `folder`, each once, in their order. A word without a
/// dot is never taken for one.
std::vector<std::string> files_named(const Yaml& yaml, const std::filesystem::path& folder);

}  // namespace braid
