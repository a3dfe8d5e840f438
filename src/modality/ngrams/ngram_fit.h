#pragma once
// NgramFit: texts to an NgramTable, as TfidfVectorizer.fit: counts in how many texts each n-gram
// comes, drops the rare and the frequent, weighs the others by inverse document frequency.
// Threads: one. No document-term matrix is kept: what it remembers is a count or two an n-gram.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "modality/ngrams/ngram_table.h"

namespace braid {

/// By the names of TfidfVectorizer. A number of 1 or more is a count of texts, one below a share.
struct NgramFitOptions {
  double min_df = 1;
  double max_df = 0;               // 0: no bound
  std::size_t terms_max = 50'000;  // max_features: the most frequent; of equals the first in order
  bool smooth_idf = true;          // as if one more text had every term
  bool use_idf = true;             // false: every weight is 1
  std::size_t candidates_max = 4'000'000;  // distinct n-grams before any is dropped; 32 B each

  /// From a map of settings; the caller finishes it.
  static Result<NgramFitOptions> from(const Settings& settings);
};

class NgramFit {
 public:
  NgramFit(const NgramRules& rules, const NgramFitOptions& options);

  /// kExhausted for a text above NgramRules::kTextBytesMax, and when there are more distinct
  /// n-grams than candidates_max, or 2 GiB of them.
  Result<void> add(Bytes text);

  /// idf = ln((1 + n) ÷ (1 + df)) + 1, without the ones when not smoothed (scikit-learn's user
  /// guide, section "Tf-idf term weighting"). Columns are in the order of code points.
  /// kInvalidArgument when no term is left.
  Result<NgramTable> finish() &&;

 private:
  struct Tally {
    std::uint64_t occurrences = 0;
    std::uint32_t texts = 0;
    std::uint32_t last_text = 0;  // counted from 1
  };

  const NgramRules rules_;
  const NgramFitOptions options_;
  Terms candidates_;
  std::vector<Tally> tallies_;  // one a candidate
  std::uint32_t text_count_ = 0;
};

}  // namespace braid
