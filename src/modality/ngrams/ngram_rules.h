#pragma once
// NgramRules: what a table of n-grams was fitted with, by the names of scikit-learn's
// TfidfVectorizer and with its defaults. They travel inside the table, never beside it.

#include <cstddef>

#include "base/json.h"
#include "base/result.h"
#include "base/yaml.h"

namespace braid {

enum class Analyzer {
  kWord,    // runs of two or more \w, joined by a blank
  kChar,    // code points of the whole text
  kCharWb,  // code points of each word between two blanks
};

struct NgramRules {
  static constexpr std::size_t kLengthMax = 12;  // of an n-gram: time grows with it
  static constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;

  Analyzer analyzer = Analyzer::kWord;
  std::size_t shortest = 1;  // ngram_range
  std::size_t longest = 1;
  bool lowercase = true;
  bool sublinear = false;   // 1 + ln(count) instead of the count
  bool unit_length = true;  // norm: l2, else none

  /// From a map of settings; the caller finishes it.
  static Result<NgramRules> from(const Settings& settings);
  /// From what to_json() gave. kInvalidArgument names the key.
  static Result<NgramRules> from(const Json& json);
  Json to_json() const;

  bool operator==(const NgramRules&) const = default;
};

}  // namespace braid
