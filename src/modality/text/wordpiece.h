#pragma once
// WordPiece: a vocabulary, and the split of one word into its longest pieces from left to right.
// A word is looked up whole first, then every shorter beginning; hashes of all beginnings come
// out of one pass, so a piece costs one pass and a few probes, never a copy.
// Threads: constant after construction.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

class WordPiece {
 public:
  /// BERT's: a longer word is unknown as a whole.
  static constexpr std::size_t kWordCharactersMax = 100;
  static constexpr std::size_t kWordBytesMax = kWordCharactersMax * 4;
  static constexpr std::int64_t kNone = -1;

  /// One token a line; the number of the line, from 0, is its id. A token twice has its last id,
  /// as in the reference. kInvalidArgument, with the line, for a token that is not UTF-8, and for
  /// a vocabulary without `unknown`.
  static Result<WordPiece> read(const std::filesystem::path& file, std::string_view unknown);
  /// `name` is what messages call the vocabulary.
  static Result<WordPiece> parse(std::string_view lines, std::string_view name,
                                 std::string_view unknown);

  /// The id of a token as the vocabulary writes it ("##ing", "[SEP]"), or kNone.
  std::int64_t id_of(std::string_view token) const;
  std::int64_t unknown_id() const { return unknown_id_; }
  /// Lines, so one above the largest id.
  std::size_t size() const { return size_; }

  /// Appends the ids of the pieces of `word`, or unknown_id() when some part has none. `word` has
  /// 1 … kWordBytesMax bytes of UTF-8, already normalised.
  void split(std::string_view word, std::vector<std::int64_t>& ids) const;

 private:
  struct Piece {
    std::uint32_t begin;   // in text_
    std::uint16_t length;  // in bytes, without "##"
    bool continues;        // written with "##": not at the beginning of a word
    std::int32_t id;
  };
  struct Slot {
    std::uint32_t hash;
    std::uint32_t piece;  // index into pieces_, or kEmpty
  };

  WordPiece() = default;
  void add(std::string_view token, std::int32_t id);
  void build_slots();
  std::int64_t find(std::uint64_t hash, std::string_view text, bool continues) const;

  std::string text_;  // of all pieces
  std::vector<Piece> pieces_;
  std::vector<Slot> slots_;          // open addressing, at most half full
  int shift_ = 0;                    // 64 - log2(slots_.size())
  std::size_t longest_[2] = {0, 0};  // bytes of the longest piece: [0] beginning, [1] continuing
  std::int64_t unknown_id_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace braid
