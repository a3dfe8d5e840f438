#include "learn/raw_inputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "learn/run_variant.h"

namespace braid {

std::vector<std::string> raw_names(const Variant& variant, const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const std::size_t index : input_indices(variant, pipeline)) {
    names.push_back(pipeline.config.inputs[index].from);
  }
  return names;
}

Result<std::optional<std::vector<std::string>>> load_raws(const ManifestRow& row,
                                                          const std::vector<std::string>& names) {
  std::vector<std::string> raws;
  for (const std::string& name : names) {
    const auto cell = std::ranges::find(row.inputs, name, &std::pair<std::string, Cell>::first);
    if (cell == row.inputs.end() || !cell->second.present()) {
      return std::optional<std::vector<std::string>>();
    }
    BRAID_TRY(std::string bytes, load_cell(cell->second).within(fmt::format("input '{}'", name)));
    raws.push_back(std::move(bytes));
  }
  return std::optional(std::move(raws));
}

}  // namespace braid
