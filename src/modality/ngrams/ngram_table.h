#pragma once
// NgramTable: the terms that a vectoriser knows, in the order of their columns, with a weight for
// each, and what it makes of a text: one sparse row with the numbers of scikit-learn's
// TfidfVectorizer. It is a JSON file, named by the SHA-256 of its bytes.
// Threads: constant after construction; weigh() from any thread.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/ngrams/ngram_rules.h"
#include "modality/ngrams/terms.h"

namespace braid {

/// Columns rise; values are not 0.
struct SparseRow {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::size_t ngram_count = 0;  // of the text, with those that the table lacks
  std::size_t known_count = 0;  // of these, how many the table has
};

class NgramTable {
 public:
  /// Of a dense FP32 row that is 4 MiB.
  static constexpr std::size_t kTermsMax = std::size_t{1} << 20;

  /// As many weights (idf) as terms, 1 … kTermsMax; terms are UTF-8, none twice; weights finite.
  /// kInvalidArgument says which is not.
  static Result<NgramTable> build(const NgramRules& rules, std::span<const std::string> terms,
                                  std::vector<double> weights);
  /// {"kind": "braid.ngrams.1", "rules": {…}, "terms": […], "idf": […]}. `name` is what messages
  /// call it.
  static Result<NgramTable> parse(std::string_view json, const std::string& name);
  std::string to_json() const;

  /// `text` has at most NgramRules::kTextBytesMax. tf · idf, of unit length when the rules say so.
  /// Memory is bounded by the text's length and the table's width.
  SparseRow weigh(Bytes text) const;

  std::size_t width() const { return terms_.size(); }
  std::string_view term(std::uint32_t column) const { return terms_[column]; }
  const std::vector<double>& weights() const { return weights_; }
  const NgramRules& rules() const { return rules_; }

 private:
  NgramTable() = default;

  NgramRules rules_;
  Terms terms_;
  std::vector<double> weights_;
};

}  // namespace braid
