#pragma once
// BertTokenizer: raw text to ids, in one pass over the bytes, with the ids that Hugging Face
// `tokenizers` gives for BertNormalizer, BertPreTokenizer and WordPiece.
// Threads: constant after construction; tokenize() from any thread.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "modality/text/code_point_table.h"
#include "modality/text/wordpiece.h"

namespace braid {

class BertTokenizer {
 public:
  /// `special_tokens` are found in the text as they are written and never normalised; the longest
  /// of those that begin at one place wins. kInvalidArgument names one that the vocabulary lacks.
  static Result<BertTokenizer> build(WordPiece vocabulary, const BertRules& rules,
                                     const std::vector<std::string>& special_tokens);

  struct Tokens {
    std::vector<std::int64_t> ids;  // without [CLS] and [SEP]
    bool truncated = false;
  };
  /// The first `ids_max` ids. Reads no further than it must, so a long text that is truncated
  /// costs what its beginning costs.
  Tokens tokenize(std::string_view text, std::size_t ids_max) const;

  const WordPiece& vocabulary() const { return vocabulary_; }

 private:
  friend class TokenizerWalk;

  struct Special {
    std::string text;
    std::int64_t id;
  };
  /// What to do with a byte below 0x80; any other value is the letter that it becomes.
  enum Action : char { kLookUp = 0, kDrop = 1, kBlank = 2, kWord = 3 };

  BertTokenizer(WordPiece vocabulary, CodePointTable table)
      : vocabulary_(std::move(vocabulary)), table_(std::move(table)) {}
  void fill_actions();

  WordPiece vocabulary_;
  CodePointTable table_;
  std::vector<Special> specials_;              // longest first
  std::array<bool, 256> begins_special_ = {};  // by the first byte
  std::array<char, 256> actions_ = {};
};

}  // namespace braid
