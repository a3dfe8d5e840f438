#include "model/xgboost_words.h"

#include <algorithm>

namespace braid {

std::string xgboost_words(std::string text) {
  text = text.substr(0, text.find("\nStack trace"));
  if (text.starts_with('[')) {
    const std::size_t source = text.find(".cc:");
    const std::size_t colon = source == text.npos ? source : text.find(": ", source);
    text = colon == text.npos ? text : text.substr(colon + 2);
  }
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace braid
