// Text: UTF-8 to the token ids of a BERT-like encoder, equal to those of Hugging Face `tokenizers`.
// What is no UTF-8 is read as U+FFFD, as Python's errors="replace" does, and BERT drops that: one
// broken byte of a note does not cost the note. An empty text is [CLS] [SEP], which is valid.
// With `windows` a long text becomes several rows, each framed and as long as tokens_max, that
// share `stride` tokens with the one before, as `tokenizers` truncates with a stride. Tokens are
// cut apart, never code points.

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
  std::size_t windows = 1;  // rows at most; what no window reaches is truncated
  std::size_t stride = 0;   // tokens that neighbouring windows share
  std::size_t text_bytes_max = 1 << 20;

  std::size_t window_size() const { return tokens_max - 2; }
  /// Between the beginnings of neighbouring windows.
  std::size_t step() const { return window_size() - stride; }
  std::size_t ids_max() const { return windows == 1 ? window_size() : reach(windows); }
  std::size_t reach(std::size_t count) const { return (count - 1) * step() + window_size(); }
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
    const BertTokenizer::Tokens tokens = tokenizer_.tokenize(raw, options_.ids_max());
    if (tokens.truncated && !options_.truncate) {
      return Error{Code::kExhausted,
                   fmt::format("more tokens than {} windows of tokens_max, which is {}, hold; "
                               "shorten the text, or set truncate: true",
                               options_.windows, options_.tokens_max)};
    }
    Encoded encoded;
    BRAID_TRY(encoded.tensors, tensors_of(tokens.ids));
    encoded.quality = quality_of(tokens);
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    const auto length = options_.pad_to == 0 ? -1 : static_cast<std::int64_t>(options_.pad_to);
    const std::int64_t rows = options_.windows == 1 ? 1 : -1;
    std::vector<TensorSpec> specs;
    for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
      specs.push_back({.name = name, .dtype = DType::kInt64, .shape = {rows, length}});
    }
    return specs;
  }

 private:
  std::size_t window_count(std::size_t id_count) const {
    const std::size_t size = options_.window_size();
    return id_count <= size ? 1 : 1 + (id_count - size + options_.step() - 1) / options_.step();
  }

  Result<NamedTensors> tensors_of(const std::vector<std::int64_t>& ids) const {
    const std::size_t count = window_count(ids.size());
    const std::size_t longest = std::min(ids.size(), options_.window_size()) + 2;
    const Shape shape = {count, std::max(longest, options_.pad_to)};
    BRAID_TRY(Tensor input, Tensor::zeros(DType::kInt64, shape));
    BRAID_TRY(Tensor mask, Tensor::zeros(DType::kInt64, shape));
    BRAID_TRY(Tensor types, Tensor::zeros(DType::kInt64, shape));  // one text: all 0
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i * options_.step();
      const std::size_t size = std::min(ids.size() - begin, options_.window_size());
      write_window(std::span(ids).subspan(begin, size),
                   input.mutable_values<std::int64_t>().subspan(i * shape[1], shape[1]),
                   mask.mutable_values<std::int64_t>().subspan(i * shape[1], shape[1]));
    }
    NamedTensors tensors;
    tensors.push_back({"input_ids", std::move(input)});
    tensors.push_back({"attention_mask", std::move(mask)});
    tensors.push_back({"token_type_ids", std::move(types)});
    return tensors;
  }

  void write_window(std::span<const std::int64_t> body, std::span<std::int64_t> ids,
                    std::span<std::int64_t> mask) const {
    const std::size_t token_count = body.size() + 2;
    ids[0] = frame_.begin;
    std::ranges::copy(body, ids.begin() + 1);
    ids[token_count - 1] = frame_.end;
    std::ranges::fill(ids.subspan(token_count), frame_.padding);
    std::ranges::fill(mask.first(token_count), 1);
  }

  /// "tokens" counts one [CLS] and one [SEP]; "unknown_share" leaves them out.
  std::vector<std::pair<std::string, double>> quality_of(
      const BertTokenizer::Tokens& tokens) const {
    const auto unknown_count =
        static_cast<double>(std::ranges::count(tokens.ids, tokenizer_.vocabulary().unknown_id()));
    const auto body = static_cast<double>(tokens.ids.size());
    return {{"tokens", body + 2},
            {"unknown_share", tokens.ids.empty() ? 0 : unknown_count / body},
            {"windows", static_cast<double>(window_count(tokens.ids.size()))},
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
  BRAID_TRY(options.windows, size_setting(settings, "windows", options.windows, 1, 256));
  BRAID_TRY(options.stride, size_setting(settings, "stride", options.stride, 0, 65536));
  if (options.stride != 0 && options.windows == 1) {
    return settings.error("stride", "it is shared by several windows; set windows: 2 or more");
  }
  if (options.windows > 1 && options.stride + 2 >= options.tokens_max) {
    return settings.error("stride", fmt::format("{} is not below the {} tokens of a window, which "
                                                "are tokens_max without [CLS] and [SEP]",
                                                options.stride, options.window_size()));
  }
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
  if (frame.padding == WordPiece::kNone && (options.pad_to != 0 || options.windows > 1)) {
    return settings.error(options.pad_to != 0 ? "pad_to" : "windows",
                          fmt::format("{} has no [PAD]", file.string()));
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
