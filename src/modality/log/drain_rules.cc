#include "modality/log/drain_rules.h"

#include <algorithm>

namespace braid {
namespace {

Json list_of(const std::vector<std::string>& texts) {
  return {Json::List(texts.begin(), texts.end())};
}

}  // namespace

Result<DrainRules> DrainRules::from(const Settings& settings) {
  DrainRules rules;
  BRAID_TRY(rules.sim_th, settings.number("sim_th", rules.sim_th, 0.01, 1));
  BRAID_TRY(const auto depth, settings.integer("depth", 4, 3, 10));
  BRAID_TRY(const auto children, settings.integer("max_children", 100, 2, 1000));
  BRAID_TRY(const auto clusters,
            settings.integer("max_clusters", 1024, 1, static_cast<std::int64_t>(kClustersMax)));
  BRAID_TRY(rules.parametrize_numeric_tokens,
            settings.flag("parametrize_numeric_tokens", rules.parametrize_numeric_tokens));
  BRAID_TRY(rules.extra_delimiters, settings.texts("extra_delimiters", {}));
  if (rules.extra_delimiters.size() > 16 ||
      std::ranges::find(rules.extra_delimiters, "") != rules.extra_delimiters.end()) {
    return settings.error("extra_delimiters", "at most 16, none of them empty");
  }
  BRAID_TRY(const std::vector<std::string> masks, settings.texts("masks", LogMasks::known()));
  auto chosen = LogMasks::of(masks);
  if (!chosen.has_value()) {
    return settings.error("masks", chosen.error().message);
  }
  rules.masks = *std::move(chosen);
  rules.depth = static_cast<std::size_t>(depth);
  rules.max_children = static_cast<std::size_t>(children);
  rules.max_clusters = static_cast<std::size_t>(clusters);
  return rules;
}

// YAML reads JSON, so a table's rules are checked by the same code as a person's.
Result<DrainRules> DrainRules::from(const Json& json) {
  BRAID_TRY(const Settings settings, Settings::parse(json.dump()));
  BRAID_TRY(DrainRules rules, from(settings));
  BRAID_TRY_DO(settings.finish());
  return rules;
}

Json DrainRules::to_json() const {
  Json json;
  json.set("sim_th", sim_th);
  json.set("depth", static_cast<std::int64_t>(depth));
  json.set("max_children", static_cast<std::int64_t>(max_children));
  json.set("max_clusters", static_cast<std::int64_t>(max_clusters));
  json.set("parametrize_numeric_tokens", parametrize_numeric_tokens);
  json.set("extra_delimiters", list_of(extra_delimiters));
  json.set("masks", list_of(masks.names()));
  return json;
}

std::size_t DrainRules::path_length(std::size_t word_count) const {
  return word_count == 0 ? 0 : std::min(depth - 2, word_count) - 1;
}

}  // namespace braid
