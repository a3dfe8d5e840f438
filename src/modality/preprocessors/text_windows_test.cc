// Long texts as several windows. Goldens: tools/oracles/text_windows.py.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kFolder = "tests/data/modality/text";

Result<std::unique_ptr<Preprocessor>> make_text(const std::string& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("text", *Settings::parse("{vocab: vocab.txt, " + settings + "}", kFolder));
}

const Tensor& tensor(const Encoded& encoded, std::string_view name) {
  return *find_tensor(encoded.tensors, name);
}

TEST(TextWindows, HaveTheReferencesIds) {
  std::map<std::string, std::unique_ptr<Preprocessor>> made;
  const std::string file = *read_file(std::string(kFolder) + "/windows.jsonl");
  std::size_t several = 0;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t end = file.find('\n', at);
    const Json golden = *Json::parse(std::string_view(file).substr(at, end - at));
    at = end + 1;
    const std::string& settings = *golden.find("settings")->text();
    if (!made.contains(settings)) {
      made[settings] = *make_text(settings);
    }
    const Encoded encoded = *made[settings]->encode(*golden.find("text")->text());
    const Tensor& ids = tensor(encoded, "input_ids");
    const Json::List& rows = *golden.find("ids")->list();
    ASSERT_EQ(ids.row_count(), rows.size()) << golden.dump();
    several += rows.size() > 1 ? 1 : 0;
    std::vector<std::int64_t> expected;
    for (const Json& row : rows) {
      for (const Json& id : *row.list()) {
        expected.push_back(0);
        ASSERT_TRUE(id.integer(expected.back()));
      }
    }
    EXPECT_THAT(ids.values<std::int64_t>(), testing::ElementsAreArray(expected)) << golden.dump();
  }
  EXPECT_GT(several, 80U);
}

// Worked by hand: a window holds 4 tokens, its neighbour begins 3 later.
TEST(TextWindows, MaskTellsTheLastWindowsPadding) {
  const auto text = *make_text("tokens_max: 6, windows: 8, stride: 1");
  const Encoded encoded = *text->encode("! ? ! ? ! ? ! ?");
  EXPECT_EQ(tensor(encoded, "input_ids").shape(), (Shape{3, 6}));
  EXPECT_THAT(tensor(encoded, "attention_mask").values<std::int64_t>(),
              testing::ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
  for (const NamedTensor& each : encoded.tensors) {
    EXPECT_TRUE(check_fits(text->outputs()[0], tensor(encoded, "input_ids").view()).has_value());
    EXPECT_EQ(each.tensor.shape(), (Shape{3, 6}));
  }
}

TEST(TextWindows, AreNoMoreThanAskedFor) {
  const auto text = *make_text("tokens_max: 6, windows: 2, stride: 1");
  const Encoded fits = *text->encode("! ? ! ? ! ? !");
  EXPECT_EQ(tensor(fits, "input_ids").row_count(), 2U);
  EXPECT_THAT(fits.quality, testing::Contains(std::pair<std::string, double>("truncated", 0)));
  const Encoded cut = *text->encode("! ? ! ? ! ? ! ?");
  EXPECT_EQ(tensor(cut, "input_ids").row_count(), 2U);
  EXPECT_THAT(cut.quality, testing::Contains(std::pair<std::string, double>("truncated", 1)));
  EXPECT_THAT(cut.quality, testing::Contains(std::pair<std::string, double>("windows", 2)));

  const auto strict = *make_text("tokens_max: 6, windows: 2, stride: 1, truncate: false");
  EXPECT_TRUE(strict->encode("! ? ! ? ! ? !").has_value());
  EXPECT_EQ(strict->encode("! ? ! ? ! ? ! ?").error().code, Code::kExhausted);
}

TEST(TextWindows, RefuseAStrideThatNeverMovesOn) {
  for (const char* settings : {"tokens_max: 6, windows: 2, stride: 4", "tokens_max: 2, windows: 2",
                               "tokens_max: 6, stride: 1"}) {
    const auto made = make_text(settings);
    ASSERT_FALSE(made.has_value()) << settings;
    EXPECT_EQ(made.error().code, Code::kInvalidArgument);
    EXPECT_THAT(made.error().message, HasSubstr("stride"));
  }
}

}  // namespace
}  // namespace braid
