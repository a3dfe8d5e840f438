// N-grams against scikit-learn. Goldens: tools/oracles/ngram_goldens.py.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "modality/ngrams/ngram_fit.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;

const std::filesystem::path kFolder = "tests/data/modality/ngrams";

Result<std::unique_ptr<Preprocessor>> make_ngrams(const std::string& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("ngrams", *Settings::parse(settings, kFolder));
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> all;
  for (const Json& item : *list.list()) {
    all.push_back(*item.text());
  }
  return all;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

struct Golden {
  std::vector<std::string> fit, weigh, broken;
  std::vector<Json> cases;
};

const Golden& golden() {
  static const Golden read = [] {
    Golden all;
    const Json given = *Json::parse(*read_file(kFolder / "texts.json"));
    all.fit = texts(*given.find("fit"));
    all.weigh = texts(*given.find("weigh"));
    for (const std::string& digits : texts(*given.find("broken"))) {
      all.broken.push_back(from_hex(digits));
    }
    const std::string lines = *read_file(kFolder / "cases.jsonl");
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      all.cases.push_back(*Json::parse(std::string_view(lines).substr(at, end - at)));
      at = end + 1;
    }
    return all;
  }();
  return read;
}

Result<NgramTable> fitted(const std::string& settings_text, const std::vector<std::string>& on) {
  BRAID_TRY(const Settings settings, Settings::parse(settings_text));
  BRAID_TRY(const NgramRules rules, NgramRules::from(settings));
  BRAID_TRY(const NgramFitOptions options, NgramFitOptions::from(settings));
  BRAID_TRY_DO(settings.finish());
  NgramFit fit(rules, options);
  for (const std::string& text : on) {
    BRAID_TRY_DO(fit.add(text));
  }
  return std::move(fit).finish();
}

void expect_row(const SparseRow& row, const Json& expected, const std::string& where) {
  const Json::List& columns = *(*expected.list())[0].list();
  const Json::List& values = *(*expected.list())[1].list();
  ASSERT_EQ(row.columns.size(), columns.size()) << where;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(row.columns[i], columns[i].number()) << where;
    EXPECT_NEAR(row.values[i], values[i].number(), 1e-6 * (1 + std::abs(values[i].number())))
        << where;
  }
}

TEST(NgramsGolden, FitKnowsTheTermsAndWeightsOfScikitLearn) {
  for (const Json& each : golden().cases) {
    const std::string settings = each.find("settings")->dump();
    const auto table = fitted(settings, golden().fit);
    ASSERT_TRUE(table.has_value()) << table.error().describe();
    const std::vector<std::string> terms = texts(*each.find("terms"));
    const Json::List& idf = *each.find("idf")->list();
    ASSERT_EQ(table->width(), terms.size()) << settings;
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      ASSERT_EQ(table->term(i), terms[i]) << settings;
      EXPECT_NEAR(table->weights()[i], idf[i].number(), 1e-10) << settings << terms[i];
    }
  }
}

TEST(NgramsGolden, RowsHaveTheNumbersOfScikitLearn) {
  for (const Json& each : golden().cases) {
    const std::string settings = each.find("settings")->dump();
    const auto table = fitted(settings, golden().fit);
    ASSERT_TRUE(table.has_value()) << table.error().describe();
    for (std::size_t i = 0; i < golden().weigh.size(); ++i) {
      expect_row(table->weigh(golden().weigh[i]), (*each.find("weigh")->list())[i],
                 settings + json_quoted(golden().weigh[i]));
    }
    for (std::size_t i = 0; i < golden().broken.size(); ++i) {
      expect_row(table->weigh(golden().broken[i]), (*each.find("broken")->list())[i],
                 settings + " broken " + std::to_string(i));
    }
  }
}

TEST(NgramsGolden, ATableThatPythonWroteGivesItsNumbers) {
  const NgramTable ours = *fitted("{ngram_range: [1, 2], min_df: 2}", golden().fit);
  const auto preprocessor = make_ngrams("{table: table_word.json}");
  ASSERT_TRUE(preprocessor.has_value()) << preprocessor.error().describe();
  for (const std::string& text : golden().weigh) {
    const Encoded encoded = *(*preprocessor)->encode(text);
    const auto values = encoded.tensors.front().tensor.values<float>();
    ASSERT_EQ(values.size(), ours.width());
    std::vector<float> expected(ours.width());
    const SparseRow row = ours.weigh(text);
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      expected[row.columns[i]] = row.values[i];
    }
    EXPECT_THAT(values, testing::Pointwise(testing::FloatNear(1e-6F), expected)) << text;
  }
}

TEST(NgramTable, ComesBackFromItsFile) {
  const NgramTable table = *fitted("{analyzer: char, ngram_range: [1, 2]}", golden().fit);
  const NgramTable again = *NgramTable::parse(table.to_json(), "again");
  EXPECT_EQ(again.to_json(), table.to_json());
  EXPECT_EQ(again.rules(), table.rules());
}

// By hand: 2 texts, 'b' in both, the others in one. idf(b) = ln(3 / 3) + 1, idf(a) = ln(3 / 2) + 1.
TEST(NgramTable, WeighsAsWorkedByHand) {
  const NgramTable table = *fitted("{norm: none}", {"aa bb", "bb cc"});
  const SparseRow row = table.weigh("aa AA bb zz");
  EXPECT_EQ(row.columns, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_FLOAT_EQ(row.values[0], 2 * (std::log(1.5F) + 1));
  EXPECT_FLOAT_EQ(row.values[1], 1);
  EXPECT_EQ(row.ngram_count, 4U);
  EXPECT_EQ(row.known_count, 3U);
}

TEST(NgramTable, RefusesWhatIsNoTable) {
  const auto refused = [](const std::string& json, const char* words) {
    const auto table = NgramTable::parse(json, "it.json");
    ASSERT_FALSE(table.has_value()) << json;
    EXPECT_EQ(table.error().code, Code::kInvalidArgument);
    EXPECT_THAT(table.error().describe(), testing::AllOf(HasSubstr("it.json"), HasSubstr(words)));
  };
  const std::string head = R"({"kind": "braid.ngrams.1", "rules": {}, )";
  refused("", "JSON");
  refused("[]", "kind");
  refused(R"({"kind": "braid.log.1"})", "kind");
  refused(R"({"kind": "braid.ngrams.1"})", "rules");
  refused(R"({"kind": "braid.ngrams.1", "rules": {"analyser": "word"}})", "analyser");
  refused(R"({"kind": "braid.ngrams.1", "rules": {"ngram_range": [2, 1]}})", "ngram_range");
  refused(head + R"("terms": [], "idf": []})", "0 terms");
  refused(head + R"("terms": ["a", "b"], "idf": [1]})", "1 weights");
  refused(head + R"("terms": ["a", 7], "idf": [1, 1]})", "term 1 is a number");
  refused(head + R"("terms": ["a", "a"], "idf": [1, 1]})", "twice");
  refused(head + R"("terms": ["a"], "idf": [null]})", "finite");
}

TEST(NgramFit, SaysWhenNothingIsLeftOrTooMuchComes) {
  EXPECT_THAT(fitted("{min_df: 3}", {"aa", "bb"}).error().message, HasSubstr("min_df"));
  EXPECT_THAT(fitted("{}", {}).error().message, HasSubstr("0 texts"));
  const auto full = fitted("{candidates_max: 3}", {"aa bb cc", "dd"});
  EXPECT_EQ(full.error().code, Code::kExhausted);
  EXPECT_THAT(full.error().message, HasSubstr("candidates_max"));
}

// A million different words are counted, and the most frequent of equals are the first in order.
TEST(NgramFit, AMillionDistinctTermsAreBounded) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) {
    text += "w" + std::to_string(i) + " ";
  }
  const NgramTable table = *fitted("{max_features: 1000}", {text});
  EXPECT_EQ(table.width(), 1000U);
  EXPECT_EQ(table.term(0), "w0");
  EXPECT_EQ(table.weigh(text).ngram_count, 1'000'000U);
}

TEST(Ngrams, AMegabyteOfAnythingGivesAnAnswer) {
  for (const char* table : {"{table: table_word.json}", "{table: table_char.json}"}) {
    const auto preprocessor = *make_ngrams(table);
    for (const std::string_view filler :
         {"a", "a ", "ab ", " ", "\xFF", "\u0301", "\u0130", "\u03A3", "the ", "\u4E2D"}) {
      std::string raw;
      while (raw.size() + filler.size() <= 1 << 20) {
        raw += filler;
      }
      EXPECT_TRUE(preprocessor->encode(raw).has_value()) << filler;
    }
    const auto refused = preprocessor->encode(std::string((1 << 20) + 1, 'a'));
    EXPECT_EQ(refused.error().code, Code::kExhausted);
  }
}

TEST(Ngrams, ATextOfNothingKnownIsARowOfZeros) {
  const auto preprocessor = *make_ngrams("{table: table_word.json}");
  for (const Bytes raw : {Bytes(""), Bytes("\xFF"), Bytes("qqqq zzzz")}) {
    const Encoded encoded = *preprocessor->encode(raw);
    for (const float value : encoded.tensors.front().tensor.values<float>()) {
      EXPECT_EQ(value, 0);
    }
  }
}

TEST(Ngrams, ATableUnderAnotherDigestIsRefused) {
  const std::string digest = sha256(*read_file(kFolder / "table_word.json"));
  EXPECT_TRUE(make_ngrams("{table: table_word.json, digest: " + digest + "}").has_value());
  const auto refused = make_ngrams("{table: table_char.json, digest: " + digest + "}");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("fit"));
  EXPECT_EQ(make_ngrams("{table: absent.json}").error().code, Code::kNotFound);
  EXPECT_THAT(make_ngrams("{}").error().message, HasSubstr("table"));
}

}  // namespace
}  // namespace braid
