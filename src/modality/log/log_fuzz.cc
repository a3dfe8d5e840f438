// Any bytes as a log, fitted and matched under several rules, and as a table. Beyond not crashing:
// no more templates than asked for, bytes that are no UTF-8 count as U+FFFD, a line that was just
// added matches a template in a full search, and a table that reads writes itself back.
// Corpus: tests/data/modality/log.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "modality/log/drain_fit.h"
#include "modality/text/python_text.h"

namespace braid {
namespace {

std::vector<DrainRules> all_rules() {
  std::vector<DrainRules> all;
  for (const char* text :
       {"{}", "{masks: [], depth: 6, max_children: 2, max_clusters: 3}",
        "{sim_th: 0.9, depth: 3, max_clusters: 5, extra_delimiters: ['=', ', ']}",
        "{masks: [number, path], parametrize_numeric_tokens: false}"}) {
    all.push_back(*DrainRules::from(*Settings::parse(text)));
  }
  return all;
}

void try_log(const DrainRules& rules, Bytes raw) {
  DrainFit fit(rules);
  Bytes last;
  for_each_line(raw, [&](Bytes line) {
    BRAID_CHECK(*fit.add(line) > 0);
    last = line;
  });
  const auto table = std::move(fit).finish();
  BRAID_CHECK(table.has_value() == (last.data() != nullptr));
  if (!table.has_value()) {
    return;
  }
  BRAID_CHECK(table->template_count() <= rules.max_clusters);
  const LogWords words(rules, last);
  BRAID_CHECK(table->match(words, true) != LogTable::kUnknown);
  std::string scratch;
  const LogWords replaced(rules, as_utf8(last.substr(0, 4000), scratch));
  const LogWords beginning(rules, last.substr(0, 4000));
  BRAID_CHECK(table->match(replaced, true) == table->match(beginning, true));
  const std::string json = table->to_json();
  BRAID_CHECK(LogTable::parse(json, "again")->to_json() == json);
}

void try_once(Bytes raw) {
  static const std::vector<DrainRules> all = all_rules();
  for (const DrainRules& rules : all) {
    try_log(rules, raw);
  }
  const auto table = LogTable::parse(raw, "fuzz");
  if (table.has_value()) {
    const std::string json = table->to_json();
    BRAID_CHECK(LogTable::parse(json, "again").has_value());
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
