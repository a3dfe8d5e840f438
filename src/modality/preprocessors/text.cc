// Text: UTF-8 to the token ids of a BERT-like encoder, equal to those of Hugging Face `tokenizers`.
// What is no UTF-8 is read as U+FFFD, as Python's errors="replace" does, and BERT drops that: one
// broken byte of a note does not cost the note. An empty text is [CLS] [SEP], which is valid.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "modality/preprocessor.h"
#include "modality/text/bert_tokenizer.h"

namespace braid {
namespace {

struct TextOptions {
  std::size_t tokens_max = 128;  // with [CLS] and [SEP]
  std::size_t pad_to = 0;        // 0: as long as the text
  bool truncate = true;
  std::size_t text_bytes_max = 1 << 20;
};

class Text final : public Preprocessor {
 public:
  /// The ids of [CLS], [SEP] and [PAD] in the vocabulary.
  struct Frame {
    std::int64_t begin, end, padding;
  };

  Text(BertTokenizer tokenizer, Frame frame, TextOptions options)
      : tokenizer_(std::move(tokenizer)), frame_(frame), options_(options) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (raw.size() > options_.text_bytes_max) {
      return Error{Code::kExhausted, fmt::format("a text of {} bytes; text_bytes_max is {}",
                                                 raw.size(), options_.text_bytes_max)};
    }
    const BertTokenizer::Tokens tokens = tokenizer_.tokenize(raw, options_.tokens_max - 2);
    if (tokens.truncated && !options_.truncate) {
      return Error{Code::kExhausted,
                   fmt::format("more tokens than tokens_max, which is {}; shorten the text, or set "
                               "truncate: true",
                               options_.tokens_max)};
    }
    Encoded encoded;
    BRAID_TRY(encoded.tensors, tensors_of(tokens.ids));
    encoded.quality = quality_of(tokens);
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    const auto length = options_.pad_to == 0 ? -1 : static_cast<std::int64_t>(options_.pad_to);
    std::vector<TensorSpec> specs;
    for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
      specs.push_back({.name = name, .dtype = DType::kInt64, .shape = {1, length}});
    }
    return specs;
  }

 private:
  Result<NamedTensors> tensors_of(const std::vector<std::int64_t>& body) const {
    const std::size_t token_count = body.size() + 2;
    const Shape shape = {1, std::max(token_count, options_.pad_to)};
    BRAID_TRY(Tensor ids, Tensor::zeros(DType::kInt64, shape));
    BRAID_TRY(Tensor mask, Tensor::zeros(DType::kInt64, shape));
    BRAID_TRY(Tensor types, Tensor::zeros(DType::kInt64, shape));  // one text: all 0

    const std::span<std::int64_t> into = ids.mutable_values<std::int64_t>();
    into[0] = frame_.begin;
    std::ranges::copy(body, into.begin() + 1);
    into[token_count - 1] = frame_.end;
    std::ranges::fill(into.subspan(token_count), frame_.padding);
    std::ranges::fill(mask.mutable_values<std::int64_t>().first(token_count), 1);

    NamedTensors tensors;
    tensors.push_back({"input_ids", std::move(ids)});
    tensors.push_back({"attention_mask", std::move(mask)});
    tensors.push_back({"token_type_ids", std::move(types)});
    return tensors;
  }

  /// "tokens" counts [CLS] and [SEP]; "unknown_share" leaves them out.
  std::vector<std::pair<std::string, double>> quality_of(
      const BertTokenizer::Tokens& tokens) const {
    const auto unknown_count =
        static_cast<double>(std::ranges::count(tokens.ids, tokenizer_.vocabulary().unknown_id()));
    const auto body = static_cast<double>(tokens.ids.size());
    return {{"tokens", body + 2},
            {"unknown_share", tokens.ids.empty() ? 0 : unknown_count / body},
            {"truncated", tokens.truncated ? 1 : 0}};
  }

  const BertTokenizer tokenizer_;
  const Frame frame_;
  const TextOptions options_;
};

Result<std::size_t> size_setting(const Settings& settings, const std::string& key,
                                 std::size_t fallback, std::int64_t min, std::int64_t max) {
  BRAID_TRY(const std::int64_t value,
            settings.integer(key, static_cast<std::int64_t>(fallback), min, max));
  return static_cast<std::size_t>(value);
}

Result<TextOptions> options_from(const Settings& settings) {
  TextOptions options;
  BRAID_TRY(options.tokens_max, size_setting(settings, "tokens_max", options.tokens_max, 2, 65536));
  BRAID_TRY(options.pad_to, size_setting(settings, "pad_to", options.pad_to, 0, 65536));
  BRAID_TRY(options.truncate, settings.flag("truncate", options.truncate));
  BRAID_TRY(options.text_bytes_max,
            size_setting(settings, "text_bytes_max", options.text_bytes_max, 1, 1 << 30));
  if (options.pad_to != 0 && options.pad_to < options.tokens_max) {
    return settings.error("pad_to", fmt::format("{} is less than tokens_max, which is {}; a text "
                                                "may have that many tokens",
                                                options.pad_to, options.tokens_max));
  }
  return options;
}

Result<BertRules> rules_from(const Settings& settings) {
  BertRules rules;
  BRAID_TRY(rules.lowercase, settings.flag("lowercase", rules.lowercase));
  BRAID_TRY(rules.strip_accents, settings.flag("strip_accents", rules.lowercase));
  BRAID_TRY(rules.chinese_chars, settings.flag("chinese_chars", rules.chinese_chars));
  return rules;
}

Result<std::unique_ptr<Preprocessor>> make_text(const Settings& settings) {
  constexpr std::size_t kSpecialTokensMax = 1000;  // each is tried where its first byte stands
  BRAID_TRY(const TextOptions options, options_from(settings));
  BRAID_TRY(const BertRules rules, rules_from(settings));
  BRAID_TRY(const std::vector<std::string> special_tokens,
            settings.texts("special_tokens", {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}));
  BRAID_TRY(const std::filesystem::path file, settings.file("vocab"));
  BRAID_TRY_DO(settings.finish());
  BRAID_TRY(WordPiece vocabulary, WordPiece::read(file, "[UNK]"));

  if (special_tokens.size() > kSpecialTokensMax ||
      std::ranges::find(special_tokens, "") != special_tokens.end()) {
    return settings.error("special_tokens",
                          fmt::format("at most {} tokens, none of them empty", kSpecialTokensMax));
  }
  const Text::Frame frame = {vocabulary.id_of("[CLS]"), vocabulary.id_of("[SEP]"),
                             vocabulary.id_of("[PAD]")};
  if (frame.begin == WordPiece::kNone || frame.end == WordPiece::kNone) {
    return settings.error("vocab", fmt::format("{} has no [CLS] or no [SEP]; BERT frames each text "
                                               "with them",
                                               file.string()));
  }
  if (frame.padding == WordPiece::kNone && options.pad_to != 0) {
    return settings.error("pad_to", fmt::format("{} has no [PAD]", file.string()));
  }
  BRAID_TRY(BertTokenizer tokenizer,
            BertTokenizer::build(std::move(vocabulary), rules, special_tokens)
                .within(settings.yaml().where()));
  return std::unique_ptr<Preprocessor>(
      std::make_unique<Text>(std::move(tokenizer), frame, options));
}

}  // namespace

void register_text(Registry<Preprocessor>& registry) { registry.add("text", make_text); }

}  // namespace braid
