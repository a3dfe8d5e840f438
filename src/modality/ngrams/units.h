#pragma once
// Units: one text cut into what its n-grams are made of, words or code points, and the walk over
// all n-grams. A text is copied once, so that every n-gram is a stretch of it, and the hash of an
// n-gram goes on from that of the one before.
// Threads: a value like any other.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "modality/ngrams/ngram_rules.h"
#include "modality/ngrams/terms.h"

namespace braid {

class Units {
 public:
  /// `raw` has at most kTextBytesMax; what is no UTF-8 counts as U+FFFD. Takes at most 13 bytes a
  /// byte.
  Units(const NgramRules& rules, Bytes raw);

  /// visit(std::uint64_t hash, std::string_view ngram), in no certain order: each n-gram as often
  /// as scikit-learn's analyzers give it.
  template <typename Visit>
  void for_each_ngram(Visit&& visit) const {
    for (const Run& run : runs_) {
      const std::size_t length = run.last - run.first;
      if (length < rules_.shortest && rules_.analyzer == Analyzer::kCharWb) {
        visit_whole(run, visit);  // a short word counts once, as it is
        continue;
      }
      for (std::size_t i = run.first; i + rules_.shortest <= run.last; ++i) {
        visit_from(i, std::min<std::size_t>(run.last, i + rules_.longest), visit);
      }
    }
  }

 private:
  struct Unit {
    std::uint32_t begin, end;  // in text_
  };
  struct Run {
    std::uint32_t first, last;  // units that n-grams may join
  };

  void cut_words(std::string_view text);
  void cut_text(std::string_view text);
  void cut_between_blanks(std::string_view text);
  void add_run(std::size_t begin);

  std::string_view stretch(std::size_t first, std::size_t last) const {
    const std::uint32_t begin = units_[first].begin;
    return std::string_view(text_).substr(begin, units_[last].end - begin);
  }

  template <typename Visit>
  void visit_from(std::size_t first, std::size_t last, Visit&& visit) const {
    std::uint64_t hash = Terms::kSeed;
    std::uint32_t at = units_[first].begin;
    for (std::size_t i = first; i < last; ++i) {
      for (; at < units_[i].end; ++at) {
        hash = Terms::step(hash, text_[at]);
      }
      if (i + 1 - first >= rules_.shortest) {
        visit(hash, stretch(first, i));
      }
    }
  }

  template <typename Visit>
  void visit_whole(const Run& run, Visit&& visit) const {
    if (run.first < run.last) {
      const std::string_view whole = stretch(run.first, run.last - 1);
      visit(Terms::hash_of(whole), whole);
    }
  }

  const NgramRules rules_;
  std::string text_;
  std::vector<Unit> units_;
  std::vector<Run> runs_;
};

}  // namespace braid
