// The ids of the whole modality against those of Hugging Face `tokenizers`. Goldens and what they
// hold: tools/oracles/text_golden.py.

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

const std::filesystem::path kFolder = "tests/data/modality/text";
constexpr std::size_t kDigestSize = 6;
constexpr int kFailuresShown = 20;

std::unique_ptr<Preprocessor> make_text(std::string_view settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return *registry.make("text", *Settings::parse(settings, kFolder));
}

Json read_json(const std::string& file) { return *Json::parse(*read_file(kFolder / file)); }

std::vector<std::unique_ptr<Preprocessor>> golden_preprocessors() {
  std::vector<std::unique_ptr<Preprocessor>> preprocessors;
  const Json golden = read_json("settings.json");
  for (const Json& settings : *golden.find("settings")->list()) {
    preprocessors.push_back(make_text(*settings.text()));
  }
  return preprocessors;
}

std::vector<Json> rows_of(const std::string& file) {
  const std::string text = *read_file(kFolder / file);
  std::vector<Json> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    rows.push_back(*Json::parse(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return rows;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string ids_of(const Preprocessor& text, Bytes raw) {
  const Encoded encoded = *text.encode(raw);
  std::string ids;
  for (const std::int64_t id : find_tensor(encoded.tensors, "input_ids")->values<std::int64_t>()) {
    ids += (ids.empty() ? "" : ",") + std::to_string(id);
  }
  return ids;
}

std::string digest_of(const Preprocessor& text, Bytes raw) {
  return sha256(ids_of(text, raw)).substr(0, kDigestSize);
}

/// Under both main settings and, in turn, one of the others: what text_golden.py digests.
void expect_digests(const std::vector<std::unique_ptr<Preprocessor>>& texts, Bytes raw,
                    const std::string& digests, std::size_t row, int& failure_count) {
  const std::size_t turns[] = {0, 1, 2 + row % (texts.size() - 2)};
  for (std::size_t i = 0; i < std::size(turns); ++i) {
    const Preprocessor& text = *texts[turns[i]];
    if (digest_of(text, raw) != digests.substr(i * kDigestSize, kDigestSize) &&
        ++failure_count <= kFailuresShown) {
      ADD_FAILURE() << "row " << row << ", settings " << turns[i] << ": " << json_quoted(raw)
                    << "\nour ids: " << ids_of(text, raw);
    }
  }
}

TEST(TextGolden, TenThousandLinesHaveTheReferencesIds) {
  const auto texts = golden_preprocessors();
  const std::vector<Json> rows = rows_of("lines.jsonl");
  ASSERT_EQ(rows.size(), 10'000U);
  int failure_count = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Json::List& golden = *rows[row].list();
    expect_digests(texts, *golden[0].text(), *golden[1].text(), row, failure_count);
  }
  RecordProperty("ids_different", failure_count);
  EXPECT_EQ(failure_count, 0);
}

TEST(TextGolden, BytesThatAreNoUtf8HaveTheIdsOfTheirReplacement) {
  const auto texts = golden_preprocessors();
  const std::vector<Json> rows = rows_of("broken.jsonl");
  ASSERT_EQ(rows.size(), 1000U);
  int failure_count = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Json::List& golden = *rows[row].list();
    expect_digests(texts, from_hex(*golden[0].text()), *golden[1].text(), row, failure_count);
  }
  RecordProperty("ids_different", failure_count);
  EXPECT_EQ(failure_count, 0);
}

// The numbers in the names are entries of the collection of public reports.
TEST(TextGolden, PublicReportsAndCornerCasesHaveTheReferencesIds) {
  const auto texts = golden_preprocessors();
  for (const Json& probe : rows_of("probes.jsonl")) {
    std::int64_t settings = 0;
    ASSERT_TRUE(probe.find("settings")->integer(settings));
    const Json* text = probe.find("text");
    const std::string raw = text != nullptr ? *text->text() : from_hex(*probe.find("hex")->text());
    const std::string ids = ids_of(*texts[static_cast<std::size_t>(settings)], raw);
    EXPECT_EQ("[" + ids + "]", probe.find("ids")->dump()) << probe.dump();
  }
}

/// As tools/setup.sh chooses it.
std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string own = variable("BRAID_CACHE"); !own.empty()) {
    return own;
  }
  const std::string shared = variable("XDG_CACHE_HOME");
  return std::filesystem::path(shared.empty() ? variable("HOME") + "/.cache" : shared) / "braid";
}

TEST(TextGolden, TheRealVocabularyGivesTheReferencesIds) {
  const std::filesystem::path vocabulary = cache_folder() / "encoders/minilm/vocab.txt";
  const auto bytes = read_file(vocabulary);
  if (!bytes.has_value()) {
    GTEST_SKIP() << "no " << vocabulary << "; tools/setup.sh demo brings it";
  }
  if (sha256(*bytes) != *read_json("settings.json").find("minilm_vocab_sha256")->text()) {
    GTEST_SKIP() << vocabulary << " is another vocabulary than that of the goldens";
  }
  const auto text = make_text("{vocab: " + vocabulary.string() + "}");
  int failure_count = 0;
  for (const Json& row : rows_of("lines.jsonl")) {
    const std::string& raw = *(*row.list())[0].text();
    const std::string expected = (*row.list())[1].text()->substr(3 * kDigestSize);
    if (digest_of(*text, raw) != expected && ++failure_count <= kFailuresShown) {
      ADD_FAILURE() << json_quoted(raw) << "\nour ids: " << ids_of(*text, raw);
    }
  }
  RecordProperty("ids_different", failure_count);
  EXPECT_EQ(failure_count, 0);
}

}  // namespace
}  // namespace braid
