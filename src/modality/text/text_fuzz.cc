// Any bytes as a text, through several settings. Beyond not crashing, an answer must keep what is
// true of the reference whatever the text is:
//   - it is framed by [CLS] and [SEP], and every id is in the vocabulary;
//   - bytes that are no UTF-8 count as the U+FFFD that ICU's own decoder puts in their place;
//   - truncation only cuts;
//   - a text, a blank and another text have the ids of the one and of the other.
// Runs in the root of the tree. Corpus: tests/data/modality/text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>

#include <unicode/unistr.h>

#include "modality/preprocessor.h"
#include "modality/text/wordpiece.h"

namespace braid {
namespace {

using Ids = std::vector<std::int64_t>;

const std::filesystem::path kFolder = "tests/data/modality/text";
const char* const kRules[] = {
    "",
    "lowercase: false",
    "strip_accents: false",
    "lowercase: false, strip_accents: true",
    "chinese_chars: false",
    "special_tokens: ['[SEP]', '[SEP', '[SEP]]', '<unk>', NUL, 'é|']",
};

std::unique_ptr<Preprocessor> open(const std::string& rules, const std::string& limits) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  const auto settings = Settings::parse(
      "{vocab: vocab.txt, " + limits + (rules.empty() ? "" : ", " + rules) + "}", kFolder);
  return *registry.make("text", *settings);
}

/// Without [CLS] and [SEP].
Ids body_of(const Preprocessor& preprocessor, Bytes raw) {
  static const WordPiece vocabulary = *WordPiece::read(kFolder / "vocab.txt", "[UNK]");
  static const std::int64_t begin = vocabulary.id_of("[CLS]");
  static const std::int64_t end = vocabulary.id_of("[SEP]");
  const auto encoded = preprocessor.encode(raw);
  const auto ids = encoded->tensors.front().tensor.values<std::int64_t>();
  BRAID_CHECK(ids.size() >= 2 && ids.front() == begin && ids.back() == end);
  for (const std::int64_t id : ids) {
    BRAID_CHECK(id >= 0 && id < static_cast<std::int64_t>(vocabulary.size()));
  }
  return {ids.begin() + 1, ids.end() - 1};
}

std::string replaced_by_icu(Bytes raw) {
  std::string utf8;
  icu::UnicodeString::fromUTF8({raw.data(), static_cast<std::int32_t>(raw.size())})
      .toUTF8String(utf8);
  return utf8;
}

void try_once(const std::string& rules, Bytes raw) {
  static std::map<std::string,
                  std::pair<std::unique_ptr<Preprocessor>, std::unique_ptr<Preprocessor>>>
      opened;
  auto& [whole, cut] = opened[rules];
  if (whole == nullptr) {
    whole = open(rules, "tokens_max: 65536");
    cut = open(rules, "tokens_max: 5");
  }
  const Ids all = body_of(*whole, raw);
  BRAID_CHECK(all == body_of(*whole, replaced_by_icu(raw)));

  const Ids first = body_of(*cut, raw);
  BRAID_CHECK(first == Ids(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first.size())));
  BRAID_CHECK(first.size() == std::min<std::size_t>(all.size(), 3));

  const Bytes left = raw.substr(0, raw.size() / 2);
  const Bytes right = raw.substr(raw.size() / 2);
  Ids both = body_of(*whole, left);
  const Ids other = body_of(*whole, right);
  both.insert(both.end(), other.begin(), other.end());
  BRAID_CHECK(both == body_of(*whole, std::string(left) + " " + std::string(right)));
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && size < 60'000) {  // so that tokens_max: 65536 cuts nothing
    const std::size_t choice = data[0] % std::size(braid::kRules);
    braid::try_once(braid::kRules[choice], {reinterpret_cast<const char*>(data + 1), size - 1});
  }
  return 0;
}
