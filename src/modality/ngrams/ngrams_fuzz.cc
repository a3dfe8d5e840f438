// Any bytes as a text, through tables of each analyzer, as a text to fit on, and as a table. Beyond
// not crashing: columns rise, values are finite, a row has length 1 or is empty, bytes that are no
// UTF-8 count as U+FFFD, and a table that reads writes itself back. Runs in the root of the tree.
// Corpus: tests/data/modality/ngrams.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "modality/ngrams/ngram_fit.h"
#include "modality/text/python_text.h"

namespace braid {
namespace {

std::vector<NgramTable> tables() {
  std::vector<NgramTable> all;
  for (const char* text : {"{ngram_range: [1, 3]}", "{analyzer: char, ngram_range: [1, 4]}",
                           "{analyzer: char_wb, ngram_range: [2, 5], sublinear_tf: true}",
                           "{analyzer: char_wb, ngram_range: [6, 6], lowercase: false}"}) {
    const NgramRules rules = *NgramRules::from(*Settings::parse(text));
    NgramFit fit(rules, {});
    BRAID_CHECK(
        fit.add("the cat sat on the mat; the \u03A3\u03C3\u03C2 \u0130 caf\u00E9").has_value());
    all.push_back(*std::move(fit).finish());
  }
  return all;
}

void check_row(const SparseRow& row, const NgramTable& table) {
  double square_sum = 0;
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    BRAID_CHECK(row.columns[i] < table.width());
    BRAID_CHECK(i == 0 || row.columns[i - 1] < row.columns[i]);
    BRAID_CHECK(std::isfinite(row.values[i]));
    square_sum += double{row.values[i]} * double{row.values[i]};
  }
  BRAID_CHECK(row.columns.empty() || std::abs(square_sum - 1) < 1e-3);
  BRAID_CHECK(row.known_count <= row.ngram_count);
}

void try_once(Bytes raw) {
  static const std::vector<NgramTable> all = tables();
  std::string scratch;
  const std::string replaced(as_utf8(raw, scratch));
  for (const NgramTable& table : all) {
    const SparseRow row = table.weigh(raw);
    check_row(row, table);
    const SparseRow again = table.weigh(replaced);
    BRAID_CHECK(row.columns == again.columns && row.values == again.values);
    NgramFit fit(table.rules(), {.candidates_max = 10'000});
    if (fit.add(raw).has_value()) {
      const auto fitted = std::move(fit).finish();
      BRAID_CHECK(!fitted.has_value() || fitted->weigh(raw).columns.size() == fitted->width());
    }
  }
  const auto table = NgramTable::parse(raw, "fuzz");
  if (table.has_value()) {
    BRAID_CHECK(NgramTable::parse(table->to_json(), "again")->to_json() == table->to_json());
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
