#pragma once
// PaddedText: borrowed text with at least Body::kPadding readable bytes behind it, whatever they
// are. Made only from what is known to have them, since simdjson looks that far.

#include <cstddef>
#include <string_view>

#include "net/body.h"

namespace braid {

class PaddedText {
 public:
  explicit PaddedText(const Body& body) : text_(body.bytes()) {}

  std::string_view text() const { return text_; }
  /// A part of it: what follows the part is readable too.
  PaddedText first(std::size_t count) const { return PaddedText(text_.substr(0, count)); }
  PaddedText part(std::string_view inside) const {
    BRAID_CHECK(inside.data() >= text_.data());
    BRAID_CHECK(inside.data() + inside.size() <= text_.data() + text_.size());
    return PaddedText(inside);
  }

 private:
  explicit PaddedText(std::string_view text) : text_(text) {}
  std::string_view text_;
};

}  // namespace braid
