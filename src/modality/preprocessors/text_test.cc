#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "modality/preprocessor.h"
#include "modality/text/wordpiece.h"

namespace braid {
namespace {

using Ids = std::vector<std::int64_t>;
using testing::HasSubstr;

constexpr const char* kFolder = "tests/data/modality/text";

Result<std::unique_ptr<Preprocessor>> make_text(const std::string& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("text", *Settings::parse(settings, kFolder));
}

std::unique_ptr<Preprocessor> text(const std::string& more_settings = "") {
  return *make_text("{vocab: vocab.txt, " + more_settings + "}");
}

Ids values(const Encoded& encoded, std::string_view name) {
  const std::span<const std::int64_t> values =
      find_tensor(encoded.tensors, name)->values<std::int64_t>();
  return {values.begin(), values.end()};
}

double quality(const Encoded& encoded, std::string_view name) {
  for (const auto& [key, value] : encoded.quality) {
    if (key == name) {
      return value;
    }
  }
  ADD_FAILURE() << "no quality " << name;
  return -1;
}

std::int64_t id(std::string_view token) {
  return WordPiece::read(std::string(kFolder) + "/vocab.txt", "[UNK]")->id_of(token);
}

void expect_refused(const std::string& settings, Code code, const std::string& words) {
  const auto made = make_text(settings);
  ASSERT_FALSE(made.has_value()) << settings;
  EXPECT_EQ(made.error().code, code) << settings;
  EXPECT_THAT(made.error().describe(), HasSubstr(words)) << settings;
}

TEST(Text, GivesThreeTensorsOfOneLength) {
  const auto preprocessor = text();
  const Encoded encoded = *preprocessor->encode("the red fish!");

  ASSERT_EQ(encoded.tensors.size(), preprocessor->outputs().size());
  for (std::size_t i = 0; i < encoded.tensors.size(); ++i) {
    EXPECT_EQ(encoded.tensors[i].name, preprocessor->outputs()[i].name);
    EXPECT_TRUE(
        check_fits(preprocessor->outputs()[i], encoded.tensors[i].tensor.view()).has_value());
  }
  const Ids ids = values(encoded, "input_ids");
  EXPECT_EQ(ids.front(), id("[CLS]"));
  EXPECT_EQ(ids.back(), id("[SEP]"));
  EXPECT_EQ(values(encoded, "attention_mask"), Ids(ids.size(), 1));
  EXPECT_EQ(values(encoded, "token_type_ids"), Ids(ids.size(), 0));
}

TEST(Text, AnEmptyTextIsValid) {
  for (const Bytes raw : {Bytes(""), Bytes(" \t\n"), Bytes("\xFF")}) {
    const Encoded encoded = *text()->encode(raw);
    EXPECT_EQ(values(encoded, "input_ids"), (Ids{id("[CLS]"), id("[SEP]")}));
    EXPECT_EQ(quality(encoded, "tokens"), 2);
    EXPECT_EQ(quality(encoded, "unknown_share"), 0);
  }
}

TEST(Text, PadsToAFixedLength) {
  const auto preprocessor = text("tokens_max: 6, pad_to: 6");
  const Encoded encoded = *preprocessor->encode("!?");
  EXPECT_EQ(values(encoded, "input_ids"),
            (Ids{id("[CLS]"), id("!"), id("?"), id("[SEP]"), id("[PAD]"), id("[PAD]")}));
  EXPECT_EQ(values(encoded, "attention_mask"), (Ids{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(preprocessor->outputs()[0].shape, (std::vector<std::int64_t>{1, 6}));
  EXPECT_EQ(quality(encoded, "tokens"), 4);
}

TEST(Text, TruncatesAndSaysSo) {
  const Encoded cut = *text("tokens_max: 4")->encode("!?!?");
  EXPECT_EQ(values(cut, "input_ids"), (Ids{id("[CLS]"), id("!"), id("?"), id("[SEP]")}));
  EXPECT_EQ(quality(cut, "truncated"), 1);
  EXPECT_EQ(quality(*text("tokens_max: 4")->encode("!?  "), "truncated"), 0);
  EXPECT_EQ(values(*text("tokens_max: 2")->encode("!"), "input_ids").size(), 2U);
}

TEST(Text, RefusesToTruncateWhenToldSo) {
  const auto preprocessor = text("tokens_max: 4, truncate: false");
  EXPECT_TRUE(preprocessor->encode("!?").has_value());
  const auto refused = preprocessor->encode("!?!");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kExhausted);
  EXPECT_THAT(refused.error().message, HasSubstr("4"));
}

TEST(Text, CountsUnknownWords) {
  const Encoded encoded = *text()->encode("! \u0378 ? \u0379");  // unassigned, so in no vocabulary
  EXPECT_EQ(quality(encoded, "unknown_share"), 0.5);
}

TEST(Text, RefusesATextAboveTheLimit) {
  const auto preprocessor = text("text_bytes_max: 10");
  EXPECT_TRUE(preprocessor->encode("0123456789").has_value());
  const auto refused = preprocessor->encode("0123456789a");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kExhausted);
  EXPECT_THAT(refused.error().message, HasSubstr("10"));
}

// By default a megabyte is the most; whatever fills it, there is an answer, and a small one.
TEST(Text, AMegabyteOfAnythingGivesAnAnswer) {
  const auto preprocessor = text();
  const std::string_view fillers[] = {
      "a",      "ab ",     "[", "[SEP]", "\u4E2D", "\u0301",
      "\u302E", "e\u0301", " ", "\xFF",  "\u00AD", "\u1112",
  };
  for (const std::string_view filler : fillers) {
    std::string raw;
    while (raw.size() + filler.size() <= 1 << 20) {
      raw += filler;
    }
    const auto encoded = preprocessor->encode(raw);
    ASSERT_TRUE(encoded.has_value()) << filler;
    EXPECT_LE(values(*encoded, "input_ids").size(), 128U) << filler;
  }
}

TEST(Text, RefusesSettingsThatCannotWork) {
  expect_refused("{}", Code::kInvalidArgument, "'vocab' is missing");
  expect_refused("{vocab: absent.txt}", Code::kNotFound, "absent.txt");
  expect_refused("{vocab: vocab.txt, token_max: 3}", Code::kInvalidArgument, "tokens_max");
  expect_refused("{vocab: vocab.txt, tokens_max: 1}", Code::kInvalidArgument, "tokens_max");
  expect_refused("{vocab: vocab.txt, pad_to: 64}", Code::kInvalidArgument, "less than tokens_max");
  expect_refused("{vocab: vocab.txt, special_tokens: ['<nosuch>']}", Code::kInvalidArgument,
                 "<nosuch>");
  expect_refused("{vocab: vocab.txt, special_tokens: ['']}", Code::kInvalidArgument, "empty");
  expect_refused("{vocab: lines.jsonl}", Code::kInvalidArgument, "[UNK]");
}

TEST(Text, NeedsTheTokensThatFrameAText) {
  const TestFolder folder;
  ASSERT_TRUE(write_file(folder / "bare_vocab.txt", "[UNK]\n[CLS]\na\n").has_value());
  expect_refused("{vocab: " + (folder / "bare_vocab.txt").string() + ", special_tokens: []}",
                 Code::kInvalidArgument, "[SEP]");
}

}  // namespace
}  // namespace braid
