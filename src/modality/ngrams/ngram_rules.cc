#include "modality/ngrams/ngram_rules.h"

#include <fmt/format.h>

namespace braid {

Result<NgramRules> NgramRules::from(const Settings& settings) {
  NgramRules rules;
  BRAID_TRY(const std::string analyzer,
            settings.choice("analyzer", {"word", "char", "char_wb"}, "word"));
  rules.analyzer = analyzer == "word"   ? Analyzer::kWord
                   : analyzer == "char" ? Analyzer::kChar
                                        : Analyzer::kCharWb;
  BRAID_TRY(const std::vector<double> range, settings.numbers("ngram_range", {1, 1}));
  const auto whole = [](double value) {
    return value >= 1 && value <= double{kLengthMax} && value == static_cast<double>(int(value));
  };
  if (range.size() != 2 || !whole(range[0]) || !whole(range[1]) || range[0] > range[1]) {
    return settings.error("ngram_range",
                          fmt::format("two lengths are wanted, 1 … {}, the shortest first, such as "
                                      "[1, 2]",
                                      kLengthMax));
  }
  rules.shortest = static_cast<std::size_t>(range[0]);
  rules.longest = static_cast<std::size_t>(range[1]);
  BRAID_TRY(rules.lowercase, settings.flag("lowercase", true));
  BRAID_TRY(rules.sublinear, settings.flag("sublinear_tf", false));
  BRAID_TRY(const std::string norm, settings.choice("norm", {"l2", "none"}, "l2"));
  rules.unit_length = norm == "l2";
  return rules;
}

// YAML reads JSON, so a table's rules are checked by the same code as a person's.
Result<NgramRules> NgramRules::from(const Json& json) {
  BRAID_TRY(const Settings settings, Settings::parse(json.dump()));
  BRAID_TRY(NgramRules rules, from(settings));
  BRAID_TRY_DO(settings.finish());
  return rules;
}

Json NgramRules::to_json() const {
  Json json;
  json.set("analyzer", analyzer == Analyzer::kWord   ? "word"
                       : analyzer == Analyzer::kChar ? "char"
                                                     : "char_wb");
  json.set("ngram_range",
           Json::List{static_cast<std::int64_t>(shortest), static_cast<std::int64_t>(longest)});
  json.set("lowercase", lowercase);
  json.set("sublinear_tf", sublinear);
  json.set("norm", unit_length ? "l2" : "none");
  return json;
}

}  // namespace braid
