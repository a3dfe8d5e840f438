#pragma once
// Word: the normalised letters of one word while they are gathered, and nothing beyond the length
// from which a word is unknown anyway, so that a text that is all one word costs no memory.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "modality/text/utf8.h"
#include "modality/text/wordpiece.h"

namespace braid {

class Word {
 public:
  Word() { bytes_.reserve(WordPiece::kWordBytesMax); }

  bool empty() const { return character_count_ == 0; }
  bool too_long() const { return character_count_ > WordPiece::kWordCharactersMax; }
  std::string_view text() const { return bytes_; }

  void clear() {
    bytes_.clear();
    character_count_ = 0;
    mark_count_ = 0;
  }

  void add(char ascii) {
    mark_count_ = 0;
    if (++character_count_ <= WordPiece::kWordCharactersMax) {
      bytes_ += ascii;
    }
  }

  /// `utf8` is one code point.
  void add(std::string_view utf8) {
    mark_count_ = 0;
    if (++character_count_ <= WordPiece::kWordCharactersMax) {
      bytes_ += utf8;
    }
  }

  /// Canonical ordering (The Unicode Standard, D109): a mark moves before the marks right before
  /// it that have a larger combining class, and never past a starter.
  void add_mark(char32_t mark, std::uint8_t combining_class) {
    if (++character_count_ > WordPiece::kWordCharactersMax) {
      return;
    }
    if (mark_count_ == 0) {
      marks_begin_ = bytes_.size();
    }
    std::size_t at = mark_count_++;
    for (; at > 0 && marks_[at - 1].combining_class > combining_class; --at) {
      marks_[at] = marks_[at - 1];
    }
    marks_[at] = {mark, combining_class};
    bytes_.resize(marks_begin_);
    for (std::size_t i = 0; i < mark_count_; ++i) {
      append_utf8(marks_[i].code_point, bytes_);
    }
  }

  /// A starter stood here that was dropped: marks do not pass it.
  void end_marks() { mark_count_ = 0; }

 private:
  struct Mark {
    char32_t code_point;
    std::uint8_t combining_class;
  };

  std::string bytes_;
  std::size_t character_count_ = 0;                        // goes on where bytes_ stops
  std::array<Mark, WordPiece::kWordCharactersMax> marks_;  // the run at the end of bytes_
  std::size_t mark_count_ = 0;
  std::size_t marks_begin_ = 0;
};

}  // namespace braid
