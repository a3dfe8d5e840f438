#include "modality/text/bert_tokenizer.h"

#include <algorithm>

#include <fmt/format.h>

#include "modality/text/utf8.h"
#include "modality/text/word.h"

namespace braid {

using Entry = CodePointTable::Entry;

/// One text on its way: words are gathered and given to the vocabulary when they end.
class TokenizerWalk {
 public:
  TokenizerWalk(const BertTokenizer& tokenizer, std::string_view text, std::size_t ids_max)
      : tokenizer_(tokenizer), text_(text), ids_max_(ids_max) {
    ids_.reserve(std::min(ids_max, text.size()) + WordPiece::kWordCharactersMax);
  }

  BertTokenizer::Tokens run() && {
    std::size_t at = 0;
    while (at < text_.size() && ids_.size() <= ids_max_) {
      const auto byte = static_cast<std::uint8_t>(text_[at]);
      if (tokenizer_.begins_special_[byte] && take_special(at)) {
        continue;
      }
      const char action = tokenizer_.actions_[byte];
      if (action > BertTokenizer::kWord) {
        word_.add(action);
        ++at;
        continue;
      }
      take(action, at);
    }
    end_word();
    const bool truncated = ids_.size() > ids_max_;
    ids_.resize(std::min(ids_.size(), ids_max_));
    return {std::move(ids_), truncated};
  }

 private:
  bool take_special(std::size_t& at) {
    for (const auto& special : tokenizer_.specials_) {
      if (text_.substr(at).starts_with(special.text)) {
        end_word();
        ids_.push_back(special.id);
        at += special.text.size();
        return true;
      }
    }
    return false;
  }

  void take(char action, std::size_t& at) {
    switch (action) {
      case BertTokenizer::kDrop:
        ++at;
        break;
      case BertTokenizer::kBlank:
        end_word();
        ++at;
        break;
      case BertTokenizer::kWord:
        take_alone(text_.substr(at, 1));
        ++at;
        break;
      default:
        take_code_point(at);
    }
  }

  void take_code_point(std::size_t& at) {
    const std::size_t begin = at;
    const char32_t code_point = next_code_point(text_, at);
    const Entry entry = tokenizer_.table_[code_point];
    if (entry.several != 0) {
      for (const Entry item : tokenizer_.table_.items(entry)) {
        take_entry(item, {}, 0);
      }
      return;
    }
    take_entry(entry, text_.substr(begin, at - begin), code_point);
  }

  /// `self` is the UTF-8 of `code_point`, which the entry may stand for.
  void take_entry(Entry entry, std::string_view self, char32_t code_point) {
    switch (entry.role()) {
      case Role::kDropped:
        break;
      case Role::kDroppedStarter:
        word_.end_marks();
        break;
      case Role::kBlank:
        end_word();
        break;
      case Role::kWord:
        take_alone(entry.value == 0 ? self : utf8_of(entry.value));
        break;
      case Role::kLetter:
        word_.add(entry.value == 0 ? self : utf8_of(entry.value));
        break;
      case Role::kMark: {
        const char32_t mark = entry.value == 0 ? code_point : entry.value;
        word_.add_mark(mark, combining_class(mark));
      }
    }
  }

  void take_alone(std::string_view word) {
    end_word();
    tokenizer_.vocabulary_.split(word, ids_);
  }

  void end_word() {
    if (word_.empty()) {
      return;
    }
    if (word_.too_long()) {
      ids_.push_back(tokenizer_.vocabulary_.unknown_id());
    } else {
      tokenizer_.vocabulary_.split(word_.text(), ids_);
    }
    word_.clear();
  }

  std::string_view utf8_of(char32_t code_point) {
    scratch_.clear();
    append_utf8(code_point, scratch_);
    return scratch_;
  }

  const BertTokenizer& tokenizer_;
  const std::string_view text_;
  const std::size_t ids_max_;
  Word word_;
  std::string scratch_;
  std::vector<std::int64_t> ids_;
};

Result<BertTokenizer> BertTokenizer::build(WordPiece vocabulary, const BertRules& rules,
                                           const std::vector<std::string>& special_tokens) {
  BRAID_TRY(CodePointTable table, CodePointTable::build(rules));
  BertTokenizer tokenizer(std::move(vocabulary), std::move(table));
  for (const std::string& special : special_tokens) {
    const std::int64_t id = tokenizer.vocabulary_.id_of(special);
    if (id == WordPiece::kNone) {
      return Error{Code::kInvalidArgument,
                   fmt::format("special token '{}' is not in the vocabulary of {} tokens", special,
                               tokenizer.vocabulary_.size())};
    }
    tokenizer.specials_.push_back({special, id});
    tokenizer.begins_special_[static_cast<std::uint8_t>(special.front())] = true;
  }
  std::ranges::sort(tokenizer.specials_, std::ranges::greater{},
                    [](const Special& special) { return special.text.size(); });
  tokenizer.fill_actions();
  return tokenizer;
}

BertTokenizer::Tokens BertTokenizer::tokenize(std::string_view text, std::size_t ids_max) const {
  return TokenizerWalk(*this, text, ids_max).run();
}

void BertTokenizer::fill_actions() {
  for (char32_t code_point = 0; code_point < 0x80; ++code_point) {
    const Entry entry = table_[code_point];
    char& action = actions_[code_point];
    switch (entry.role()) {
      case Role::kDropped:
        action = kDrop;
        break;
      case Role::kBlank:
        action = kBlank;
        break;
      case Role::kWord:
        action = kWord;
        break;
      default:
        action = static_cast<char>(entry.value == 0 ? code_point : entry.value);
    }
  }
}

}  // namespace braid
